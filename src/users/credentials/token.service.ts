import type { Services, SignedInCtx } from '../../access/context.ts'
import { requestOrigin } from '../../audit/request-origin.ts'
import { recordAct } from '../../audit/audit.ts'
import { mayIssueToken } from '../../auth/issue.policy.ts'
import { countTokens, deleteToken, findTokenByName, insertToken, listTokens } from '../../auth/token.store.ts'
import { normaliseScopes, parseScopes } from '../../auth/token-scopes.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { AccessTokenRow, UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { TokenId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { hashToken, newToken, tokenLastEight } from '../../secrets/tokens.ts'

interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
}

/** Creates an access token for an account at the request of the viewer. Throws `Forbidden` for scopes that the credential lacks. */
export async function issueToken(
  ctx: SignedInCtx,
  user: UserRow,
  input: NewToken,
): Promise<{ row: AccessTokenRow; token: string }> {
  must(mayIssueToken(ctx.viewer.credential, parseScopes(normaliseScopes(input.scopes))))
  return createToken(ctx, user, input)
}

/**
 * Creates an access token. The reply contains the token once; the server stores a hash. Throws `BadRequest` for a used
 * name (observed).
 */
export async function createToken(
  services: Services,
  user: UserRow,
  input: NewToken,
): Promise<{ row: AccessTokenRow; token: string }> {
  const scopes = normaliseScopes(input.scopes)
  const token = newToken()
  try {
    const row = await transaction(services.db, async (tx) => {
      const made = await insertToken(tx, {
        user_id: user.id,
        name: input.name,
        token_hash: hashToken(token),
        token_last_eight: tokenLastEight(token),
        scopes,
        created_unix: nowUnix(services.clock),
      })
      await recordAct(tx, {
        action: 'token.created',
        doerId: user.id,
        about: { kind: 'token', id: made.id, name: input.name },
        details: { account: user.name, scopes },
      })
      // Tokens of commands and of the first start cause no security mail.
      if (requestOrigin()?.person) {
        await publish(tx, 'credential.changed', { userId: user.id, what: 'token', name: input.name })
      }
      return made
    })
    return { row, token }
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new BadRequest(`there is already a token named ${input.name}`, 'token_name_used')
    }
    throw error
  }
}

/** Deletes a token by id or, for other text, by name. Throws `NotFound` for another account's. */
export async function removeToken(services: Services, user: UserRow, idOrName: string): Promise<void> {
  const asNumber = idOrName.trim() === '' ? Number.NaN : Number(idOrName)
  const id = Number.isSafeInteger(asNumber)
    ? (asNumber as TokenId)
    : (await findTokenByName(services.db, user.id, idOrName))?.id
  const deleted =
    id !== undefined &&
    (await transaction(services.db, async (tx) => {
      if (!(await deleteToken(tx, user.id, id))) return false
      const about = { kind: 'token', id } as const
      await recordAct(tx, { action: 'token.deleted', doerId: user.id, about, details: { account: user.name } })
      await publish(tx, 'credential.ended', { userId: user.id, what: 'token' })
      return true
    }))
  if (!deleted) throw new NotFound('the token does not exist', 'token_not_found')
}

/** Returns the tokens of an account, newest first. */
export async function pageOfTokens(
  services: Services,
  user: UserRow,
  page: Page,
): Promise<{ readonly tokens: AccessTokenRow[]; readonly total: number }> {
  const [tokens, total] = await rowsAndTotal(
    page,
    listTokens(services.db, user.id, page.limit, page.offset),
    countTokens(services.db, user.id),
  )
  return { tokens, total }
}
