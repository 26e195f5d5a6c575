import { nameForDoctor, type RepoCheck } from '../access/contributions/doctor.ts'
import { transaction } from '../db/database.ts'
import { branchRef } from '../lib/refs.ts'
import { nowUnix } from '../lib/time.ts'
import { countLanguagesOf } from './languages/count-languages.service.ts'
import { findBranchTime, listLanguages, replaceLanguages } from './languages/languages.store.ts'

/** Time that counting after a push may take, in seconds; older differences are faults. */
const followSeconds = 3600

/** Recounts the languages that a push counts. */
export const languagesCheck: RepoCheck = {
  name: 'languages',
  about: 'the recorded languages of each repository are those of its default branch',
  async *runOn(services, { repo, isOnDisk }, { fix }) {
    // The check of repositories reports a missing git repository.
    if (!isOnDisk) return
    const { db, git, clock } = services
    const head = await git.readRef(repo.git_key, branchRef(repo.default_branch))
    if ((head ?? '') !== repo.languages_commit) {
      const movedUnix = await findBranchTime(db, repo.id, repo.default_branch)
      if (movedUnix !== undefined && movedUnix > nowUnix(clock) - followSeconds) return
    }
    const counted = await countLanguagesOf(services, repo, head)
    const recorded = new Map((await listLanguages(db, repo.id)).map((row) => [row.language, row.size_bytes]))
    const isRight =
      (head ?? '') === repo.languages_commit &&
      counted.size === recorded.size &&
      [...counted].every(([language, sizeBytes]) => recorded.get(language) === sizeBytes)
    if (isRight) return
    if (fix) await transaction(db, (tx) => replaceLanguages(tx, repo.id, head ?? '', counted))
    yield {
      what: `${nameForDoctor(repo)}: the recorded languages are not those of its default branch`,
      state: fix ? 'fixed' : 'fixable',
    }
  },
}
