import type { PushOptions } from '../access/push-extras.ts'

const truths = new Set(['1', 't', 'true'])
const falsehoods = new Set(['0', 'f', 'false'])

/** Reads `repo.private` and `repo.template`; a bare name means true, what is no truth value and what is unknown is passed over. */
export function readPushOptions(texts: readonly string[]): PushOptions {
  const options: { isPrivate?: boolean; isTemplate?: boolean } = {}
  for (const text of texts) {
    const [name = '', value = 'true'] = text.split(/=(.*)/s)
    const truth = truths.has(value.toLowerCase()) ? true : falsehoods.has(value.toLowerCase()) ? false : undefined
    if (truth === undefined) continue
    if (name === 'repo.private') options.isPrivate = truth
    if (name === 'repo.template') options.isTemplate = truth
  }
  return options
}
