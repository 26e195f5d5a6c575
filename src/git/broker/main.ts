/**
 * The git broker: a small process that starts every git process. Starting a process from the large server blocks the
 * server for tens of milliseconds (docs/decisions/0014-git-broker.md). The broker uses descriptors 3 (small requests)
 * and 4 (bulk data). When either closes, it exits with all its children.
 */
import { Socket } from 'node:net'
import { Channel, type WireStream } from './wire.ts'
import { CatPool } from './cat-pool.ts'
import { Command } from './command.ts'
import { Slots } from './slots.ts'
import type { BrokerRequest, BrokerSettings, CommandKind, RunRequest } from './protocol.ts'

type Working = {
  readonly settings: BrokerSettings
  readonly pool: CatPool
  readonly slots: Readonly<Record<CommandKind, Slots>>
}

const commands = new Set<Command>()
let working: Working | undefined

function onOpen(stream: WireStream, request: unknown): void {
  try {
    serve(stream, request as BrokerRequest)
  } catch (error) {
    stream.fail({ reason: 'defect', message: Error.isError(error) ? error.message : String(error) })
  }
}

function serve(stream: WireStream, request: BrokerRequest): void {
  if (request.op === 'settings') {
    // The next server that uses this broker does not meet what an earlier one left.
    for (const command of commands) command.kill()
    working?.pool.close()
    const slots = (kind: CommandKind): Slots => new Slots(request.slots[kind], request.waiting, request.waitMs)
    working = {
      settings: request,
      pool: new CatPool(request),
      slots: {
        read: slots('read'),
        write: slots('write'),
        fetch: slots('fetch'),
        push: slots('push'),
        archive: slots('archive'),
        download: slots('download'),
        maintenance: slots('maintenance'),
      },
    }
    return stream.finish({})
  }
  if (working === undefined) return stream.fail({ reason: 'defect', message: 'the broker has no settings yet' })
  if (request.op === 'cat') return working.pool.read(request, stream)
  if (request.op === 'release') {
    working.pool.release(request.directory, request.quarantine ?? '')
    return stream.finish({})
  }
  runCommand(working, stream, request)
}

function runCommand({ settings, slots }: Working, stream: WireStream, request: RunRequest): void {
  const slot = slots[request.kind]
  // Input may arrive before a slot is free; at most one window of it is kept.
  const early: Buffer[] = []
  let ended = false
  stream.handlers.data = (chunk) => {
    early.push(chunk)
  }
  stream.handlers.end = () => {
    ended = true
  }
  slot.take(stream, () => {
    if (stream.closed) return slot.release()
    const command = new Command(request, stream, settings, () => {
      commands.delete(command)
      slot.release()
    })
    commands.add(command)
    for (const chunk of early) stream.handlers.data?.(chunk)
    if (ended) stream.handlers.end?.()
  })
}

let closing = false
function quit(status: number): void {
  if (closing) return
  closing = true
  for (const command of commands) command.kill()
  working?.pool.close()
  process.exit(status)
}

for (const descriptor of [3, 4]) {
  const socket = new Socket({ fd: descriptor, readable: true, writable: true })
  const channel = new Channel(socket, { onOpen, onClose: () => quit(0) })
  void channel
}
// An interrupt at the terminal is for the server, which ends the broker.
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)
process.on('SIGTERM', () => quit(0))
process.on('uncaughtException', (error) => {
  process.stderr.write(`git broker: ${error.stack ?? error.message}\n`)
  quit(1)
})
