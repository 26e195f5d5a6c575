import { quotaSubjects, type QuotaSubject } from '../access/quota/quota.rules.ts'
import { Invalid } from '../lib/errors.ts'

const isSubject = (text: string): text is QuotaSubject => (quotaSubjects as readonly string[]).includes(text)

/** The subjects of a rule as they were sent; an unknown one is `Invalid`. */
export function subjectsFrom(texts: readonly string[] | null | undefined): readonly QuotaSubject[] | undefined {
  return texts?.map((text) => {
    if (isSubject(text)) return text
    throw new Invalid(`[subjects]: ${text} is no subject of quotas`, 'quota_subject_invalid', { field: 'subjects' })
  })
}
