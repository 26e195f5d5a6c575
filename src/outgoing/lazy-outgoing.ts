import type { Outgoing, OutgoingOptions } from './outgoing.ts'

/** The outgoing client, loaded with the first request. */
export function lazyOutgoing(options: OutgoingOptions): Outgoing {
  let loading: Promise<Outgoing> | undefined
  const load = (): Promise<Outgoing> =>
    (loading ??= import('./outgoing.ts').then(({ createOutgoing }) => createOutgoing(options)))
  return {
    request: async (url, request) => (await load()).request(url, request),
    stream: async (url, request) => (await load()).stream(url, request),
    resolve: async (url) => (await load()).resolve(url),
    close: async () => (await loading)?.close(),
  }
}
