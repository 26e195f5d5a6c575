import { nameForDoctor, type RepoCheck } from '../access/contributions/doctor.ts'
import { transaction } from '../db/database.ts'
import { indexWiki, readHistories } from './page-history.service.ts'
import { deleteIndex, findIndexedHead, listHistories } from './page-history.store.ts'
import { wikiOfRepo } from './wiki-repository.service.ts'

export const wikisCheck: RepoCheck = {
  name: 'wikis',
  about: 'the recorded histories of wiki pages match git',
  async *runOn(services, { repo }, { fix }) {
    // The check of repositories reports a missing git repository.
    if (repo.wiki_git_key === null || !(await services.git.exists(repo.wiki_git_key))) return
    const known = await findIndexedHead(services.db, repo.id)
    const wiki = await wikiOfRepo(services, repo)
    // Without an up-to-date index requests read git, so nothing can be wrong.
    if (known === undefined || known !== wiki?.head) return
    const [recorded, present] = [
      await listHistories(services.db, repo.id),
      await readHistories(services, wiki, undefined),
    ]
    const matches =
      present?.size === recorded.size &&
      [...present].every(([file, { lastOid, commitCount }]) => {
        const row = recorded.get(file)
        return row?.lastOid === lastOid && row.commitCount === commitCount
      })
    if (matches) return
    if (fix) {
      await transaction(services.db, (tx) => deleteIndex(tx, repo.id))
      await indexWiki(services, wiki)
    }
    yield {
      what: `${nameForDoctor(repo)}: the recorded history of its wiki's pages is wrong`,
      state: fix ? 'fixed' : 'fixable',
    }
  },
}
