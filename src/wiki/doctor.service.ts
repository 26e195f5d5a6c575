import { nameForDoctor, type RepoCheck } from '../access/contributions/doctor.ts'
import { transaction } from '../db/database.ts'
import { indexWiki, readHistories } from './page-history.service.ts'
import { deleteIndex, findIndexedHead, listHistories } from './page-history.store.ts'
import { wikiOfRepo } from './wiki-repository.service.ts'

export const wikisCheck: RepoCheck = {
  name: 'wikis',
  about: 'what is recorded of the history of wiki pages is what git has',
  async *runOn(services, { repo }, { fix }) {
    // One that is missing on the disk is told by the check of repositories.
    if (repo.wiki_git_key === null || !(await services.git.exists(repo.wiki_git_key))) return
    const known = await findIndexedHead(services.db, repo.id)
    const wiki = await wikiOfRepo(services, repo)
    // What is not recorded, or not to the last commit yet, is read from git when it is asked for.
    if (known === undefined || known !== wiki?.head) return
    const [recorded, present] = [
      await listHistories(services.db, repo.id),
      await readHistories(services, wiki, undefined),
    ]
    const isRight =
      present?.size === recorded.size &&
      [...present].every(([file, { lastOid, commitCount }]) => {
        const row = recorded.get(file)
        return row?.lastOid === lastOid && row.commitCount === commitCount
      })
    if (isRight) return
    if (fix) {
      await transaction(services.db, (tx) => deleteIndex(tx, repo.id))
      await indexWiki(services, wiki)
    }
    yield {
      what: `${nameForDoctor(repo)}: what is recorded of the history of its wiki's pages is wrong`,
      state: fix ? 'fixed' : 'fixable',
    }
  },
}
