import type { Viewer } from '../../auth/viewer.ts'
import type { Refusal } from '../../lib/errors.ts'
import type { Help } from '../ui/page-context.ts'
import { sizeText } from '../languages/amounts.ts'
import { sentenceOf } from './sentence.ts'
import { shellTexts as texts } from '../languages/texts.ts'

/** What a page says about a refusal. */
export interface Explained {
  /** A sentence, or more. */
  readonly message: string
  readonly help?: Help
}

/**
 * Returns the words of a page for a refusal, which may be clearer than those of the API.
 * @param field the field beside which they stand
 */
export function explained(
  { status, message, code, data }: Pick<Refusal, 'status' | 'message' | 'code' | 'data'>,
  viewer: Viewer | undefined,
  field?: string,
): Explained {
  const { errors } = texts
  const { maxBytes, retryAfterSeconds } = data
  if (typeof maxBytes === 'number') return { message: errors.bodyTooLarge(sizeText(maxBytes)) }
  // The label names the field already.
  const reason = field === undefined ? message : message.replace(/^\[\w+\]: /, '')
  if (status === 503 && typeof retryAfterSeconds === 'number') return { message: errors.busy(retryAfterSeconds) }
  const owner = data['username']
  if (code !== 'over_quota' || typeof owner !== 'string') return { message: sentenceOf(reason) }
  if (owner !== viewer?.user.name) return { message: errors.quotaOf(owner) }
  return { message: errors.ownQuota, help: { label: errors.seeStored, to: '/user/settings/storage_overview' } }
}
