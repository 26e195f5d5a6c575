import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy in front of PostgreSQL. */
export interface PostgresFront extends Disposable {
  /** The address of the database behind it. */
  readonly url: string
  /** Ends all connections and refuses new ones. */
  refuse(): void
  /** Delivers nothing more and ends nothing, on new connections too, as a machine that lost its network. */
  fallSilent(): void
  /** Lets new connections pass. Silent ones stay silent. */
  recover(): void
}

/** Starts a proxy in front of the server of a database. */
export async function startPostgresFront(url: string): Promise<PostgresFront> {
  const behind = new URL(url)
  const pairs = new Set<readonly [Socket, Socket]>()
  const silent = new Set<Socket>()
  let state: 'open' | 'refusing' | 'silent' = 'open'
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (state === 'refusing') return void socket.destroy()
    if (state === 'silent') return void silent.add(socket)
    const onward = connect(Number(behind.port || 5432), behind.hostname)
    const pair = [socket, onward] as const
    pairs.add(pair)
    for (const each of pair) {
      each
        .on('error', () => undefined)
        .on('close', () => {
          pairs.delete(pair)
          for (const end of pair) end.destroy()
        })
    }
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = (): void => {
    for (const socket of [...pairs].flat()) socket.destroy()
    for (const socket of silent) socket.destroy()
  }
  const front = new URL(behind)
  front.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: front.href,
    refuse() {
      state = 'refusing'
      end()
    },
    fallSilent() {
      state = 'silent'
      for (const [socket, onward] of pairs) {
        socket.unpipe(onward).pause()
        onward.unpipe(socket).pause()
      }
    },
    recover() {
      state = 'open'
    },
    [Symbol.dispose]() {
      server.close()
      end()
    },
  }
}
