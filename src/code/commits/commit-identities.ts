import type { SignedInCtx } from '../../access/context.ts'
import type { Identity } from '../../git/git.ts'
import { cleanIdentityText } from '../../git/objects/object-codec.ts'
import { Invalid } from '../../lib/errors.ts'
import { sentTime } from '../../lib/time.ts'
import { hasEmail } from '../../repos/identity.store.ts'
import { placeholderEmail } from '../../users/user.present.ts'

/** Who made a commit and who committed it. */
export interface CommitPeople {
  readonly author: Identity
  readonly committer: Identity
}

/** A person as a request names them; what is missing or empty was not given. */
export interface GivenPerson {
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** Whom a request names for a commit, and the moments it gives, as texts with an offset. */
export interface GivenPeople {
  readonly author?: GivenPerson | undefined
  readonly committer?: GivenPerson | undefined
  readonly dates?: { readonly author?: string | undefined; readonly committer?: string | undefined } | undefined
}

/**
 * A name as trailers show it. Git takes characters off the ends of names in the header itself; a sign-off keeps the full
 * stop of "Jr.".
 */
const named = (text: string): string => (cleanIdentityText(text) === '' ? '' : text.replaceAll(/[\n<>\0]/g, '').trim())

/** The caller as commits name them: full name or login, and an address that they are willing to show. */
export function callerIdentity(ctx: SignedInCtx): { name: string; email: string } {
  const { user } = ctx.viewer
  return {
    name: named(user.full_name) || user.name,
    email: user.keep_email_private ? placeholderEmail(ctx, user) : user.email,
  }
}

/**
 * Author and committer of a change: a missing one is the other, both missing are the caller; a given one with an address of
 * the caller's own is the caller. Source: contract, contents: identities.
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

/** An identity that was given, undefined for none. */
async function resolved(ctx: SignedInCtx, given: GivenPerson | undefined, caller: { name: string; email: string }) {
  if (!given?.name && !given?.email) return undefined
  const email = cleanIdentityText(given.email ?? '')
  if (email !== '' && (await hasEmail(ctx.db, ctx.viewer.id, email))) return caller
  const name = named(given.name ?? '')
  return { name: name || caller.name, email: email || caller.email }
}

/** Seconds and offset of a time with one; now in UTC when there is none. */
function momentOf(text: string | undefined, nowSeconds: number): { unixSeconds: number; offsetMinutes: number } {
  const unixSeconds = sentTime(text, 'dates')
  if (unixSeconds === undefined) return { unixSeconds: nowSeconds, offsetMinutes: 0 }
  if (unixSeconds < 0) throw new Invalid(`[dates]: ${text} is before 1970, which git cannot hold`, 'date_invalid')
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})$/.exec(text ?? '') ?? []
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return { unixSeconds, offsetMinutes: sign === '-' ? -size : size }
}
