import type { Services } from '../access/context.ts'
import { nameForDoctor, type Finding, type RepoCheck } from '../access/contributions/doctor.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import { pluck } from '../lib/pluck.ts'
import { pullRef } from './pull-ref.ts'
import { writePullRef } from './pull-sync.service.ts'
import { listPullsFrom } from './pull.store.ts'

/** Pull requests of one query. */
const batch = 500

/** Checks `refs/pull/<index>/head`: without it, git garbage collection deletes the commits of a pull request. */
export const pullRefsCheck: RepoCheck = {
  name: 'pull-requests',
  about: 'every pull request has the reference that keeps its commits',
  async *runOn(services, { repo, isOnDisk }, options) {
    // The check of repositories reports a missing git repository.
    if (isOnDisk) yield* checkPullRefs(services, repo, options)
  },
}

async function* checkPullRefs(
  services: Services,
  repo: RepoRow,
  options: { readonly fix: boolean },
): AsyncGenerator<Finding> {
  const { db, git } = services
  let refs: ReadonlySet<string> | undefined
  for (let after = 0; ;) {
    const pulls = await listPullsFrom(db, repo.id, after, batch)
    if (pulls.length === 0) return
    refs ??= new Set((await git.readRefs(repo.git_key, 'refs/pull/')).map(({ name }) => name))
    const without = pulls.filter((pull) => !(refs as ReadonlySet<string>).has(pullRef(pull.index)))
    const gone = new Set(await git.missingObjects(repo.git_key, pluck(without, 'synced_oid')))
    for (const pull of without) {
      const what = `${nameForDoctor(repo)}: ${pullRef(pull.index)} is missing`
      if (gone.has(pull.synced_oid)) {
        yield { what: `${what}, and so is its commit ${pull.synced_oid}`, state: 'report' }
        continue
      }
      if (options.fix) await writePullRef(services, repo, pull, pull.synced_oid, repo.owner_id)
      yield { what, state: options.fix ? 'fixed' : 'fixable' }
    }
    after = pulls.at(-1)?.index ?? after
  }
}
