import { Type, type Static } from 'typebox'
import { dateTime, object, requestObject } from '../../http/schema.ts'

const address = Type.String({ minLength: 1, maxLength: 2048 })
const body = Type.String({ minLength: 1, maxLength: 65_535 })

export const OpenIssueElsewhereOption = requestObject('OpenIssueElsewhereOption', {
  /** Address of the repository's actor. */
  repository: address,
  title: Type.String({ minLength: 1, maxLength: 255 }),
  body,
})

export const CommentElsewhereOption = requestObject('CommentElsewhereOption', {
  repository: address,
  /** Address of the issue, from the list of issues elsewhere or from a note about it. */
  issue: address,
  body,
})

/** The local address of the issue or comment that was sent. */
export const SentElsewhere = object('SentElsewhere', { id: Type.String() })

/** An issue that was opened on another server. */
export const IssueElsewhere = object('IssueElsewhere', {
  id: Type.String(),
  repository: Type.String(),
  title: Type.String(),
  /** Address of the issue on its server; empty until that server accepts it. */
  issue: Type.String(),
  created_at: dateTime(),
})
export type IssueElsewhere = Static<typeof IssueElsewhere>
