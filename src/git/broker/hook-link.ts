import { isUtf8 } from 'node:buffer'
import type { Duplex } from 'node:stream'
import { flushPacket, packet } from '../pkt-line.ts'
import type { HookAnswer, HookQuestion } from './protocol.ts'

type Ask = (question: HookQuestion) => Promise<HookAnswer>
type Kind = HookQuestion['hook']

/**
 * Speaks with the `pre-receive` and `post-receive` hooks of one push (git-settings.ts has the script). The hooks write
 *
 *     hook <name>            quarantine <length> <path>
 *     option <length> <text> ref <old> <new> <name>        end
 *
 * and read `say <line>`, `custom` and `exit <status>`. A client can put line feeds into names and options, so each line begins
 * with a keyword and free text carries its length: no text of a client can end a message.
 */
export function serveHooks(fromHook: Duplex, toHook: Duplex, ask: Ask, maxBytes: number, giveUp: () => void): void {
  let received: Buffer = Buffer.alloc(0)
  fromHook.on('error', () => undefined)
  toHook.on('error', () => undefined)
  fromHook.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length > maxBytes) return giveUp()
    const parsed = parseQuestion(received)
    if (parsed === undefined) return
    received = received.subarray(parsed.length)
    if (parsed.question === undefined) {
      toHook.write('say a reference name or a push option is malformed\nexit 1\n')
      return
    }
    void ask(parsed.question).then((answer) => {
      const lines = answer.lines.map((line) => `say ${printable(line)}\n`)
      const custom = answer.custom === true ? 'custom\n' : ''
      toHook.write(`${lines.join('')}${custom}exit ${answer.accepted ? 0 : 1}\n`)
    }, giveUp)
  })
}

/** Control characters could end the line or control the client's terminal. */
// oxlint-disable-next-line no-control-regex -- control characters are what must go
const printable = (line: string): string => line.replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f]/g, ' ')

type Parsed = { readonly length: number; readonly question: HookQuestion | undefined }

/** Parses the first complete message; undefined when more bytes must come. A malformed message has no `question`. */
function parseQuestion(bytes: Buffer): Parsed | undefined {
  let offset = 0
  let malformed = false
  let hook = ''
  let quarantine = ''
  const options: string[] = []
  const updates: Array<{ ref: string; old: string; new: string }> = []
  for (;;) {
    const wordEnd = bytes.indexOf(10, offset)
    if (wordEnd === -1) return undefined
    const line = bytes.subarray(offset, wordEnd)
    const sized = /^(option|quarantine) (\d{1,8}) /.exec(line.subarray(0, 24).toString('latin1'))
    if (sized !== null) {
      const start = offset + sized[0].length
      const end = start + Number(sized[2])
      if (bytes.length <= end) return undefined
      const value = bytes.subarray(start, end)
      if (bytes[end] !== 10 || !isUtf8(value)) malformed = true
      if (sized[1] === 'option') options.push(value.toString())
      else quarantine = value.toString()
      offset = end + 1
      continue
    }
    offset = wordEnd + 1
    if (!isUtf8(line)) malformed = true
    const text = line.toString()
    if (text === 'end') break
    const update = /^ref ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S.*)$/.exec(text)
    if (update !== null) updates.push({ old: update[1]!, new: update[2]!, ref: update[3]! })
    else if (text.startsWith('hook ')) hook = text.slice(5)
    else malformed = true
  }
  const known = hook === 'pre-receive' || hook === 'post-receive'
  if (malformed || !known) return { length: offset, question: undefined }
  return { length: offset, question: { hook: hook as Kind, quarantine, options, updates } }
}

/**
 * Speaks git's proc-receive protocol (githooks(5)); the hook script only relays its standard input and output. The
 * conversation has version and capabilities, commands, push options, then a report per reference.
 */
export function serveProcReceive(
  fromHook: Duplex,
  toHook: Duplex,
  ask: Ask,
  maxBytes: number,
  giveUp: () => void,
): void {
  let received: Buffer = Buffer.alloc(0)
  let total = 0
  const sections: string[][] = [[]]
  let withOptions = false
  let isAnswered = false
  fromHook.on('error', () => undefined)
  toHook.on('error', () => undefined)
  const onPacket = (line: string | undefined): void => {
    if (line !== undefined) {
      sections.at(-1)!.push(line)
      return
    }
    if (sections.length === 1) {
      const hello = (sections[0]![0] ?? '').trimEnd()
      withOptions = hello.split('\0')[1]?.split(' ').includes('push-options') === true
      toHook.write(packet(`version=1${withOptions ? '\0push-options' : ''}\n`) + flushPacket)
    }
    const complete = sections.length === (withOptions ? 3 : 2)
    sections.push([])
    if (!complete || isAnswered) return
    isAnswered = true
    const updates = sections[1]!.map((line) => {
      const [old = '', fresh = '', ...name] = line.trimEnd().split(' ')
      return { old, new: fresh, ref: name.join(' ') }
    })
    const options = withOptions ? sections[2]!.map((line) => line.replace(/\n$/, '')) : []
    void ask({ hook: 'proc-receive', quarantine: '', options, updates }).then((answer) => {
      const lines = (answer.outcomes ?? []).map((line) => packet(`${printable(line)}\n`))
      toHook.end(lines.join('') + flushPacket)
    }, giveUp)
  }
  fromHook.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (total > maxBytes) return giveUp()
    received = Buffer.concat([received, chunk])
    while (received.length >= 4) {
      const length = Number.parseInt(received.subarray(0, 4).toString('latin1'), 16)
      if (Number.isNaN(length) || (length > 0 && length < 4)) return giveUp()
      if (received.length < length) return
      const body = received.subarray(4, Math.max(4, length))
      received = received.subarray(Math.max(4, length))
      if (!isUtf8(body)) return giveUp()
      onPacket(length === 0 ? undefined : body.toString())
    }
  })
}
