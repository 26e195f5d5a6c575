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
