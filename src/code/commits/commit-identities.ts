import type { SignedInCtx } from '../../access/context.ts'
import type { Identity } from '../../git/git.ts'
import { cleanIdentityText } from '../../git/objects/object-codec.ts'
import { Invalid } from '../../lib/errors.ts'
import { sentTime } from '../../lib/time.ts'
import { hasEmail } from '../../repos/identity.store.ts'
import { placeholderEmail } from '../../users/user.present.ts'

/** Author and committer of a commit. */
export interface CommitPeople {
  readonly author: Identity
  readonly committer: Identity
}

/** A person in a request; empty fields count as missing. */
export interface GivenPerson {
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** People and times in a request; the times have an offset. */
export interface GivenPeople {
  readonly author?: GivenPerson | undefined
  readonly committer?: GivenPerson | undefined
  readonly dates?: { readonly author?: string | undefined; readonly committer?: string | undefined } | undefined
}

/** A name for trailers. git strips characters from names in the header; a sign-off keeps the full stop of "Jr.". */
const named = (text: string): string => (cleanIdentityText(text) === '' ? '' : text.replaceAll(/[\n<>\0]/g, '').trim())

/** The caller's name and address in commits: full name or login, and the address that the settings allow. */
export function callerIdentity(ctx: SignedInCtx): { name: string; email: string } {
  const { user } = ctx.viewer
  return {
    name: named(user.full_name) || user.name,
    email: user.keep_email_private ? placeholderEmail(ctx, user) : user.email,
  }
}

/**
 * Author and committer of a change. A missing one is the other; when both are missing, the caller. An address of the
 * caller stands for the caller. Source: contract, contents: identities.
 */
export async function commitPeople(ctx: SignedInCtx, given: GivenPeople): Promise<CommitPeople> {
  const caller = callerIdentity(ctx)
  const [author, committer] = await Promise.all([
    resolved(ctx, given.author, caller),
    resolved(ctx, given.committer, caller),
  ])
  const nowSeconds = Math.floor(ctx.clock.nowMs() / 1000)
  return {
    author: { ...(author ?? committer ?? caller), ...momentOf(given.dates?.author, nowSeconds) },
    committer: { ...(committer ?? author ?? caller), ...momentOf(given.dates?.committer, nowSeconds) },
  }
}

/** Resolves a person in a request; undefined when missing. */
async function resolved(ctx: SignedInCtx, given: GivenPerson | undefined, caller: { name: string; email: string }) {
  if (!given?.name && !given?.email) return undefined
  const email = cleanIdentityText(given.email ?? '')
  if (email !== '' && (await hasEmail(ctx.db, ctx.viewer.id, email))) return caller
  const name = named(given.name ?? '')
  return { name: name || caller.name, email: email || caller.email }
}

/** Unix time and offset of a text; now in UTC when missing. */
function momentOf(text: string | undefined, nowSeconds: number): { unixSeconds: number; offsetMinutes: number } {
  const unixSeconds = sentTime(text, 'dates')
  if (unixSeconds === undefined) return { unixSeconds: nowSeconds, offsetMinutes: 0 }
  if (unixSeconds < 0) throw new Invalid(`[dates]: ${text} is before 1970, which git cannot hold`, 'date_invalid')
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})$/.exec(text ?? '') ?? []
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return { unixSeconds, offsetMinutes: sign === '-' ? -size : size }
}
