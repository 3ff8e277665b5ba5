"""The wire, without a wire: bytes in and bytes out, messages between. No sockets, no clocks, no backgammon."""
