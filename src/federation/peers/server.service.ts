import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { FederatedServerRow } from '../../db/tables/federation.ts'
import { program } from '../../lib/program.ts'
import { nowUnix } from '../../lib/time.ts'
import { idOf, isDocument, textOf } from '../document.rules.ts'
import { sameOrigin } from '../address.rules.ts'
import { fetchDocument } from './fetch.service.ts'
import { PeerProblem } from './peer-problem.ts'
import { findServerByOrigin, insertServer, updateServer } from './server.store.ts'

/** The record of the server at an address, made when there is none. */
export async function getServer(services: Services, url: string): Promise<FederatedServerRow> {
  const { origin } = new URL(url)
  const known = await findServerByOrigin(services.db, origin)
  if (known) return known
  await transaction(services.db, (tx) => insertServer(tx, origin, nowUnix(services.clock)))
  const made = await findServerByOrigin(services.db, origin)
  if (!made) throw new Error('the record of a server that was just made is gone')
  return made
}

/** The name of a server's program, in lower case; asked for once (`/.well-known/nodeinfo`). Throws PeerProblem. */
export async function softwareOf(services: Services, server: FederatedServerRow): Promise<string> {
  if (server.software !== '') return server.software
  const pointer = await fetchDocument(services, `${server.origin}/.well-known/nodeinfo`)
  const { links } = pointer
  const first: unknown = Array.isArray(links) ? links[0] : undefined
  const href = isDocument(first) ? idOf(first['href']) : undefined
  if (href === undefined || !sameOrigin(href, server.origin)) {
    throw new PeerProblem('the node information of the server is not where it says', false)
  }
  const { software } = await fetchDocument(services, href)
  const name = isDocument(software) ? textOf(software, 'name', 100)?.toLowerCase() : undefined
  if (!name) throw new PeerProblem('the node information does not name a program', false)
  await transaction(services.db, (tx) =>
    updateServer(tx, server.id, {
      software: name,
      // What this program is known to understand.
      ...(name === program.name ? { signature_form: 'rfc9421' as const } : {}),
    }),
  )
  return name
}
