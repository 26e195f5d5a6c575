import {
  afterCommit,
  databaseSlot,
  engineBehind,
  engineOf,
  lastBeforeCommit,
  type Broadcast,
  type Db,
  type Tx,
} from './database.ts'

/** A listener of a channel. Both functions must not throw and must return quickly. */
export interface BroadcastListener {
  heard(payload: string): void
  /** Messages of other processes may be lost; the listener must query by itself. */
  missed(): void
}

interface Exchange {
  readonly listeners: Map<string, Set<BroadcastListener>>
}

const exchanges = databaseSlot<Exchange>()
const unsent = new WeakMap<Tx, Map<string, Broadcast>>()
const works = new WeakMap<Tx, () => Promise<void>>()

/** PostgreSQL limits a message to 8,000 bytes, envelope included. */
export const maxPayloadBytes = 7000

/**
 * Sends a message to the listeners of `channel` in each process of the database after the commit: in this process at
 * once (but see `beforeListeners`), in other processes through PostgreSQL. Equal messages of a transaction are sent once.
 * A message may be lost, so callers must also work without it.
 */
export function notify(tx: Tx, channel: string, payload = ''): void {
  if (Buffer.byteLength(payload) > maxPayloadBytes) {
    throw new Error(`a message of ${Buffer.byteLength(payload)} bytes is too long for channel ${channel}`)
  }
  let broadcasts = unsent.get(tx)
  if (!broadcasts) {
    const collected = new Map<string, Broadcast>()
    broadcasts = collected
    unsent.set(tx, collected)
    afterCommit(tx, () => {
      const tell = (): void => {
        const exchange = exchanges.of(tx)
        if (!exchange) return
        for (const broadcast of collected.values()) deliver(exchange, broadcast)
      }
      const work = works.get(tx)
      if (work) void work().then(tell)
      else tell()
    })
    lastBeforeCommit(tx, () => engineBehind(tx).broadcast(tx, [...collected.values()]))
  }
  broadcasts.set(`${channel} ${payload}`, { channel, payload })
}

/**
 * Runs work after the commit of a transaction and before its listeners in this process hear of it, because their work would
 * slow it down, or wait for it. One for each transaction. It must not reject.
 */
export function beforeListeners(tx: Tx, work: () => Promise<void>): void {
  let begun: Promise<void> | undefined
  const begin = (): Promise<void> => (begun ??= work())
  works.set(tx, begin)
  afterCommit(tx, () => void begin())
}

const deliver = ({ listeners }: Exchange, { channel, payload }: Broadcast): void => {
  for (const listener of listeners.get(channel) ?? []) listener.heard(payload)
}

/** Listens on a channel until the returned function is called. PostgreSQL calls `missed` once connected. */
export function listen(db: Db, channel: string, listener: BroadcastListener): () => void {
  const { listeners } = exchangeOf(db)
  const own = listeners.get(channel) ?? new Set()
  listeners.set(channel, own.add(listener))
  return () => own.delete(listener)
}

/** Waits for messages. */
export interface Inbox extends Disposable {
  /**
   * Resolves when a message has arrived since the last call, or may be lost; after `atMostMs` milliseconds; or when the
   * signal is aborted.
   */
  next(atMostMs: number, signal: AbortSignal): Promise<void>
}

/** Opens an inbox for one message of a channel. A message that arrives while nobody waits ends the next wait at once. */
export function openInbox(db: Db, channel: string, payload: string): Inbox {
  let hasArrived = false
  let wake: (() => void) | undefined
  const arrive = () => {
    hasArrived = true
    wake?.()
  }
  const unlisten = listen(db, channel, { heard: (each) => (each === payload ? arrive() : undefined), missed: arrive })
  return {
    async next(atMostMs, signal) {
      if (!hasArrived && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, atMostMs)
        const stop = () => resolve()
        signal.addEventListener('abort', stop)
        wake = resolve
        await promise
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
      }
      hasArrived = false
    },
    [Symbol.dispose]: unlisten,
  }
}

function exchangeOf(db: Db): Exchange {
  const known = exchanges.of(db)
  if (known) return known
  const exchange: Exchange = { listeners: new Map() }
  exchanges.set(db, exchange)
  engineOf(db).receive({
    heard: (broadcast) => deliver(exchange, broadcast),
    missed: () => {
      for (const listeners of exchange.listeners.values()) for (const listener of listeners) listener.missed()
    },
  })
  return exchange
}
