import type pg from 'pg'

/**
 * Ends a connection without waiting for the server, when the returned function is not called in time: a server that vanished
 * never answers. Its queries fail as if the server had ended it. The driver's `query_timeout` keeps the connection, and the
 * next query waits behind the one without an answer.
 */
export function endWithoutAnswer(client: pg.ClientBase, deadlineMs: number): () => void {
  const timer = setTimeout(() => (client as pg.Client).connection.stream.destroy(), deadlineMs)
  return () => clearTimeout(timer)
}

/** Longest wait for the server at the end of a connection, in milliseconds. */
const longestEndMs = 1000

/** Ends a connection, at the latest after a second. */
export async function endConnection(client: pg.Client): Promise<void> {
  const clear = endWithoutAnswer(client, longestEndMs)
  await client.end().finally(clear)
}
