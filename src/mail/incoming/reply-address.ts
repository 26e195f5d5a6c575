import type { Services } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { makeToken, tokenMessageId } from './reply-token.rules.ts'

type ReplyCtx = Pick<Services, 'secrets' | 'config' | 'clock'>

/** Returns the key that authenticates reply addresses. */
export const replyKey = ({ secrets }: Pick<Services, 'secrets'>): Buffer => secrets.deriveKey('mail-reply', 32)

/** The addresses for replies to a mail about an issue and for unsubscription by mail. */
export interface ReplyAddresses {
  readonly reply: string
  readonly unsubscribe: string
  /** Carries the token among the references of the mail. */
  readonly messageId: string
}

/** Returns undefined when `[email.incoming]` is off. */
export function replyAddresses(
  services: ReplyCtx,
  user: Pick<UserRow, 'id'>,
  issue: Pick<IssueRow, 'id'>,
): ReplyAddresses | undefined {
  const { config, clock } = services
  const { emailIncoming, server } = config
  if (!emailIncoming.enabled) return undefined
  const token = (kind: 'reply' | 'unsubscribe'): string =>
    makeToken(replyKey(services), { kind, userId: user.id, issueId: issue.id }, clock.nowMs())
  const address = (kind: 'reply' | 'unsubscribe'): string =>
    emailIncoming.replyToAddress.replace('%{token}', token(kind))
  return {
    reply: address('reply'),
    unsubscribe: address('unsubscribe'),
    messageId: tokenMessageId(token('reply'), new URL(server.rootUrl).hostname),
  }
}
