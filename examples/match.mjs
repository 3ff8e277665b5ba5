#!/usr/bin/env node
// A match between bgd and a beginner who plays at random; Node alone, no packages. JSON-RPC 2.0, one object a line.
//
//   node match.mjs [PORT] [LENGTH] [SEED]
//
// The client keeps the score and throws the dice. It needs no rules: bgd lists the legal plays, and where each leads.

import net from 'node:net'
import readline from 'node:readline'

class Bgd {
  #waiting = new Map()
  #count = 0

  constructor (port) {
    this.socket = net.connect(port, '127.0.0.1').setNoDelay()
    readline.createInterface({ input: this.socket }).on('line', line => this.#receive(JSON.parse(line)))
    this.socket.on('close', () => this.#fail(new Error('bgd closed the connection')))
    this.socket.on('error', error => this.#fail(error))
  }

  ask (method, params = {}) {
    const id = ++this.#count
    this.socket.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n')
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  #receive ({ id, result, error }) {
    const { resolve, reject } = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) reject(new Error(`${error.data.code}: ${error.message}`))
    else resolve(result)
  }

  #fail (error) {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

const [port = 4321, length = 5, seed = 1] = process.argv.slice(2).map(Number)
const START = '-b----E-C---eE---c-e----B-' // as in an XGID: upper case is the side on roll, `a` one checker, `b` two
const BGD = 0
const names = ['bgd', 'beginner']

let state = seed >>> 0
function random () { // mulberry32
  state = (state + 0x6D2B79F5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), state | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const die = () => 1 + Math.floor(random() * 6)
const one = list => list[Math.floor(random() * list.length)]

const swapCase = c => c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()
const seenByOther = board => [...board].reverse().map(swapCase).join('')
const count = (places, first, last) => // checkers of a side: of those from `first` to `last`, `a` or `A` being one
  [...places].reduce((sum, c) => c >= first && c <= last ? sum + c.charCodeAt(0) - first.charCodeAt(0) + 1 : sum, 0)

const bgd = new Bgd(port)
const score = [0, 0]
let crawford = false
let crawfordPlayed = false

function xgid (board, side, cube, dice = '00') { // seen by `side`, who is on roll
  const owner = cube.owner === null ? 0 : cube.owner === side ? 1 : -1
  const points = `${score[side]}:${score[1 - side]}`
  return `XGID=${board}:${Math.log2(cube.value)}:${owner}:1:${dice}:${points}:${crawford ? 1 : 0}:${length}:10`
}

async function passesDouble (board, side, cube) { // whether `side` doubles and is passed; a double taken turns the cube
  if (cube.owner === 1 - side || crawford) return false
  const { allowed = true, double, response } = await bgd.ask('cube', { position: xgid(board, side, cube) })
  if (!allowed || (side === BGD ? !double : random() > 0.1)) return false
  const passed = side === BGD ? random() < 0.8 : response === 'pass' // the beginner guesses
  console.log(`  ${names[side]} doubles to ${2 * cube.value}, ${names[1 - side]} ${passed ? 'passes' : 'takes'}`)
  if (!passed) Object.assign(cube, { value: 2 * cube.value, owner: 1 - side })
  return passed
}

async function play (board, side, cube, roll) { // the board after it, seen by the other side
  const position = xgid(board, side, cube)
  const dice = roll.join('')
  const { plays } = await bgd.ask(side === BGD ? 'best' : 'moves', { position, dice })
  const chosen = side === BGD ? plays[0] : one(plays)
  console.log(`  ${names[side].padEnd(8)} ${dice}: ${chosen ? chosen.play : 'no legal play'}`)
  if (!chosen) return seenByOther(board)
  const { text } = await bgd.ask('convert', { position: chosen.result, to: 'xgid' })
  return text.slice('XGID='.length).split(':')[0]
}

async function game () { // the winner and the points won
  const cube = { value: 1, owner: null }
  let roll
  do roll = [die(), die()]; while (roll[0] === roll[1])
  let side = roll[0] > roll[1] ? 0 : 1
  for (let board = START; ; side = 1 - side, roll = null) {
    if (!roll) {
      if (await passesDouble(board, side, cube)) return [side, cube.value]
      roll = [die(), die()]
    }
    board = await play(board, side, cube, roll)
    if (count(board, 'a', 'p') > 0) continue
    const gammon = count(board, 'A', 'P') === 15 // the loser, now upper case, has borne nothing off
    const backgammon = gammon && count(board.slice(19), 'A', 'P') > 0
    return [side, cube.value * (backgammon ? 3 : gammon ? 2 : 1)]
  }
}

const { name, version } = await bgd.ask('hello')
console.log(`${name} ${version} against a beginner, to ${length}`)
for (let number = 1; Math.max(...score) < length; number++) {
  crawford = !crawfordPlayed && score.includes(length - 1)
  crawfordPlayed ||= crawford
  console.log(`Game ${number}, ${names[0]} ${score[0]}, ${names[1]} ${score[1]}${crawford ? ', Crawford' : ''}`)
  const [winner, points] = await game()
  score[winner] += points
  console.log(`  ${names[winner]} wins ${points}`)
}
console.log(`${names[score[0] >= length ? 0 : 1]} wins the match ${Math.max(...score)}-${Math.min(...score)}`)
bgd.socket.end()
