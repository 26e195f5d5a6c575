import type { RepoCtx } from '../../../access/context.ts'

/** Returns the names on both sides of a comparison, as its address has them. */
export function namesOf({ repo }: Pick<RepoCtx, 'repo'>, text: string): { base: string; head: string } {
  const [, base = '', head = ''] = /^(.*?)\.{2,3}(.*)$/s.exec(text) ?? [text, repo.default_branch, text]
  return { base: base || repo.default_branch, head: head || repo.default_branch }
}
