import { perApplication } from '../../access/per-application.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Commit } from '../../git/git.ts'

/** Some commits of one repository in an order, as far as what is shown with them is concerned. */
export interface CommitList {
  /** Stands for the commits and their order, in that repository. */
  readonly name: unknown
  /** Addresses of authors and committers, each once. */
  readonly emails: readonly string[]
  readonly isSigned: boolean
  readonly read: () => Promise<readonly Commit[]>
}

const outline = (commits: readonly Commit[]) => ({
  emails: [...new Set(commits.flatMap(({ author, committer }) => [author.email, committer.email]))],
  isSigned: commits.some(({ signature }) => signature !== undefined),
})

/** Commits that are there already. */
export const theseCommits = (commits: readonly Commit[]): CommitList => ({
  name: commits.map(({ oid }) => oid),
  ...outline(commits),
  read: async () => commits,
})

type Page = Omit<CommitList, 'name' | 'read'> & { readonly total: number }

/** What an entry takes besides its texts, in bytes. */
const entryBytes = 250

const pages = perApplication((caches) =>
  caches.open<string, Page>('commit pages', {
    sizeOf: ({ emails }, key) => emails.reduce((bytes, email) => bytes + email.length + 30, key.length + entryBytes),
  }),
)

/**
 * A page of a history, which is what it is for ever once its ends are fixed: the commits themselves are read only by whoever
 * has not shown them before.
 *
 * @param name says which page, with the ids that it lies between
 */
export async function pageOfHistory(
  place: Pick<RepoCtx, 'caches' | 'repo'>,
  name: readonly unknown[],
  { read, count }: { readonly read: CommitList['read']; readonly count: () => Promise<number> },
): Promise<{ readonly list: CommitList; readonly total: number }> {
  const text = JSON.stringify(name)
  const key = `${place.repo.git_key} ${text}`
  let page = pages(place).get(key)
  if (!page) {
    const [total, commits] = await Promise.all([count(), read()])
    page = { ...outline(commits), total }
    pages(place).set(key, page)
  }
  const { emails, isSigned, total } = page
  return { list: { name: text, emails, isSigned, read }, total }
}
