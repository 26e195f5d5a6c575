import type { Services } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { makeToken, tokenMessageId } from './reply-token.rules.ts'

type Needs = Pick<Services, 'secrets' | 'config' | 'clock'>

/** The key of addresses that mails may be answered to. */
export const replyKey = ({ secrets }: Pick<Services, 'secrets'>): Buffer => secrets.deriveKey('mail-reply', 32)

/** Where somebody answers a mail about an issue, and where their mail program ends such mails. */
export interface ReplyAddresses {
  readonly reply: string
  readonly unsubscribe: string
  /** Stands for the address among the references of the mail. */
  readonly messageId: string
}

/** undefined where no mail comes in (`[email.incoming]`). */
export function replyAddresses(
  services: Needs,
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
