import { Type } from 'typebox'
import type { SignedInCtx } from '../../access/context.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { mustAccept } from '../../http/accept.ts'
import { eventStream, type StreamMessage } from '../../http/event-stream.ts'
import { bytesOf, operation, type Requirement } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { Forbidden } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { presentEntries, presentEntry } from './audit.present.ts'
import { AuditEntry } from './audit.schemas.ts'
import { auditStreamSlots } from '../stream-slots.ts'
import { followEntries, getEntries } from './audit.service.ts'

/** Entries name private things too. */
const notForPublicAlone: Requirement<SignedInCtx, object> = {
  codes: ['publicOnlyCheck'],
  refuses: [403],
  check({ viewer }) {
    if (viewer.limit.publicOnly) throw new Forbidden('a public-only token cannot read the audit log', 'public_only')
    return {}
  },
}

/** Returns audit entries, newest first. `before` is the smallest id of the previous page. Not part of the contract. */
export const adminReadAuditLog = operation({
  method: 'GET',
  path: '/admin/audit',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin, notForPublicAlone],
  query: {
    limit: Type.Optional(Type.Integer()),
    before: Type.Optional(Type.Integer()),
    action: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.String()),
    actor: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
    object_kind: Type.Optional(Type.String()),
    object_id: Type.Optional(Type.Integer()),
    since: Type.Optional(Type.String()),
    until: Type.Optional(Type.String()),
  },
  reply: { 200: Type.Array(AuditEntry) },
  summary: 'Read the audit log, newest first',
  async run({ ctx, query }) {
    const { limit, before, object_kind: objectKind, object_id: objectId, ...filter } = query
    const size = pageOf({ limit }, ctx.config.api).limit
    return ok(presentEntries(await getEntries(ctx, { ...filter, objectKind, objectId }, { before, limit: size })))
  },
})

/**
 * Streams audit entries in commit order, after the given position of the stream. The id of an entry is accepted too;
 * some entries may then repeat. Not part of the contract.
 */
export const adminWatchAuditLog = operation({
  method: 'GET',
  path: '/admin/audit/stream',
  scope: 'admin',
  cost: 'waiting',
  requires: [signedIn, siteAdmin, notForPublicAlone],
  query: { after: Type.Optional(Type.Integer()) },
  reply: { 200: bytesOf('text/event-stream') },
  summary: 'Follow the audit log, as server-sent events',
  async run({ ctx, query, call }) {
    mustAccept(call, 'text/event-stream')
    const last = Number(call.headers['last-event-id'])
    const after = Number.isSafeInteger(last) ? last : query.after
    return eventStream((signal) => {
      auditStreamSlots.of(ctx).take(ctx.viewer.id, signal)
      return messages(followEntries(ctx, after, signal))
    }, call)
  },
})

async function* messages(rows: ReturnType<typeof followEntries>): AsyncGenerator<StreamMessage> {
  for await (const row of rows) yield { event: row.action, id: String(row.position), data: presentEntry(row) }
}
