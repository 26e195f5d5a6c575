import { Type, type Static } from 'typebox'
import { dateTime, object, requestObject } from '../../http/schema.ts'

const address = Type.String({ minLength: 1, maxLength: 2048 })
const body = Type.String({ minLength: 1, maxLength: 65_535 })

export const OpenIssueElsewhereOption = requestObject('OpenIssueElsewhereOption', {
  /** The address of the repository's actor. */
  repository: address,
  title: Type.String({ minLength: 1, maxLength: 255 }),
  body,
})

export const CommentElsewhereOption = requestObject('CommentElsewhereOption', {
  repository: address,
  /** The address of the issue, as the answer to its opening or a note about it tells it. */
  issue: address,
  body,
})

/** What was sent, by the address that it has here. */
export const SentElsewhere = object('SentElsewhere', { id: Type.String() })

/** An issue that was opened on another server. */
export const IssueElsewhere = object('IssueElsewhere', {
  id: Type.String(),
  repository: Type.String(),
  title: Type.String(),
  /** Where it is; empty until the other server took it. */
  issue: Type.String(),
  created_at: dateTime(),
})
export type IssueElsewhere = Static<typeof IssueElsewhere>
