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

/** Returns the record of the server at an address, which is created when it is unknown. */
export async function getServer(services: Services, url: string): Promise<FederatedServerRow> {
  const { origin } = new URL(url)
  const known = await findServerByOrigin(services.db, origin)
  if (known) return known
  await transaction(services.db, (tx) => insertServer(tx, origin, nowUnix(services.clock)))
  const made = await findServerByOrigin(services.db, origin)
  if (!made) throw new Error('the record of a server that was just made is gone')
  return made
}

/** Returns the name of a server's software in lower case, fetched once from `/.well-known/nodeinfo`. Throws `PeerProblem`. */
export async function softwareOf(services: Services, server: FederatedServerRow): Promise<string> {
  if (server.software !== '') return server.software
  const pointer = await fetchDocument(services, `${server.origin}/.well-known/nodeinfo`)
  const { links } = pointer
  const first: unknown = Array.isArray(links) ? links[0] : undefined
  const href = isDocument(first) ? idOf(first['href']) : undefined
  if (href === undefined || !sameOrigin(href, server.origin)) {
    throw new PeerProblem('the node information must be on the same server', false)
  }
  const { software } = await fetchDocument(services, href)
  const name = isDocument(software) ? textOf(software, 'name', 100)?.toLowerCase() : undefined
  if (!name) throw new PeerProblem('the node information does not name its software', false)
  await transaction(services.db, (tx) =>
    updateServer(tx, server.id, {
      software: name,
      // Ingot understands this form.
      ...(name === program.name ? { signature_form: 'rfc9421' as const } : {}),
    }),
  )
  return name
}
