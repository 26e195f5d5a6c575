import { quotaSubjects, type QuotaSubject } from '../access/quota/quota.rules.ts'
import { Invalid } from '../lib/errors.ts'

const isSubject = (text: string): text is QuotaSubject => (quotaSubjects as readonly string[]).includes(text)

/**
 * Returns the subjects of a request.
 * @throws Invalid for an unknown subject
 */
export function subjectsFrom(texts: readonly string[] | null | undefined): readonly QuotaSubject[] | undefined {
  return texts?.map((text) => {
    if (isSubject(text)) return text
    throw new Invalid(`[subjects]: ${text} is not a quota subject`, 'quota_subject_invalid', { field: 'subjects' })
  })
}
