import { findRepoByName } from '../../access/access.store.ts'
import type { Services } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { isUniqueViolation, transaction, type Tx } from '../../db/database.ts'
import type { AccessMode, UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { newGitKey } from '../../git/git-key.ts'
import type { BareRef, FirstCommit, Identity, MadeRepository, ObjectFormat } from '../../git/git.ts'
import { isValidBranchName } from '../../lib/ref-name.ts'
import { BadRequest, Conflict, Forbidden, Invalid } from '../../lib/errors.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { joinGitignores } from '../../site/gitignore.templates.ts'
import { findLabelTemplate } from '../../site/label.templates.ts'
import { fillLicense, findLicense } from '../../site/license.templates.ts'
import { renderReadme } from '../../site/readme.templates.ts'
import { listAllRepoMemberIds } from '../../orgs/team.store.ts'
import { insertPacks } from '../../refs/changes/pack.store.ts'
import { upsertRefs } from '../../refs/changes/ref.store.ts'
import { signedCommit, signingFor } from '../../refs/signing/signing.service.ts'
import { gitPerson } from '../../users/git-person.ts'
import { mayNameRepo } from '../repo-name.rules.ts'
import { recordGitUsage } from '../git-usage.service.ts'
import {
  deleteRepoRedirect,
  findRepoById,
  insertBranches,
  insertRepo,
  insertUnits,
  takeRepoSlot,
  upsertCollaboration,
} from '../repo.store.ts'
import { newUnits, type NewUnit } from '../unit-config.ts'
import { watchRepos } from '../social/watch.store.ts'

export interface NewRepository {
  readonly name: string
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  readonly isTemplate?: boolean | undefined
  /** Empty: the instance's. */
  readonly defaultBranch?: string | undefined
  readonly trustModel?: string | undefined
  readonly objectFormat?: string | undefined
  readonly labelSet?: string | undefined
  /** Creates a first commit. The other options apply only then. */
  readonly autoInit?: boolean | undefined
  readonly readme?: string | undefined
  readonly gitignores?: string | undefined
  readonly license?: string | undefined
}

const trustModels = ['default', 'collaborator', 'committer', 'collaboratorcommitter']

/** Returns the largest number of repositories that an account may own; undefined: no limit. */
export function repoLimit(services: Services, doer: UserRow, owner: UserRow): number | undefined {
  if (doer.is_admin) return undefined
  const limit = owner.max_repo_creation >= 0 ? owner.max_repo_creation : services.config.repository.maxCreationLimit
  return limit >= 0 ? limit : undefined
}

/** The error for an account that owns as many repositories as it may. */
export const limitReached = ({ name }: UserRow, limit: number | undefined): Forbidden =>
  new Forbidden(`${name} may own no more repositories`, 'repo_limit_reached', { limit })

/**
 * Creates a repository. Throws `Invalid` for bad names, branches and label sets, `BadRequest` for an unknown README
 * template, `Conflict` for a used name and `Forbidden` at the owner's limit. One of several concurrent requests for
 * one name succeeds.
 *
 * The git data is written under a new key before the row is inserted. A crash in between leaves a folder without a
 * row, which `ingot doctor` removes.
 * @param access access of the creator as a collaborator; an owner needs none
 */
export async function createRepo(
  services: Services,
  doer: UserRow,
  owner: UserRow,
  input: NewRepository,
  access?: AccessMode,
): Promise<RepoRow> {
  const { config } = services
  const named = mayNameRepo(input.name)
  if (!named.allowed) throw new Invalid(named.reason, named.code)
  const defaultBranch = input.defaultBranch || config.repository.defaultBranch
  if (!isValidBranchName(defaultBranch)) {
    throw new Invalid(`${defaultBranch} is no name for a branch`, 'branch_name_invalid')
  }
  if (input.labelSet && !findLabelTemplate(input.labelSet)) {
    throw new Invalid(`there are no labels of the name ${input.labelSet}`, 'label_set_unknown')
  }
  const files = input.autoInit ? await initialFiles(services, owner, input) : undefined
  await refuseUsed(services, owner, input.name)
  const createdUnix = nowUnix(services.clock)
  const trustModel = trustModels.includes(input.trustModel ?? '') ? (input.trustModel as string) : 'default'
  const signing = files && (await signingFor(services, 'initialCommit', doer.id, { trust_model: trustModel }))
  const first = files && signedCommit(signing, firstCommitOf(services, owner, files, createdUnix))
  const options = { defaultBranch, objectFormat: objectFormatOf(input.objectFormat), first }
  return withNewGit(services, options, (git, made) =>
    insertNewRepo(services, {
      doer,
      owner,
      git,
      sizeBytes: made.sizeBytes,
      createdUnix,
      row: {
        name: input.name,
        description: input.description ?? '',
        is_private: (input.isPrivate ?? false) || config.repository.forcePrivate,
        is_template: input.isTemplate ?? false,
        trust_model: trustModel,
        fork_id: null,
        template_id: null,
      },
      branches: made.first ? [{ name: defaultBranch, commit: made.first }] : [],
      units: newUnits(config.repository.defaultRepoUnits, config),
      access,
      inTransaction: (tx, repo) =>
        publish(tx, 'repo.created', {
          repoId: repo.id,
          doerId: doer.id,
          ...(input.labelSet ? { labelSet: input.labelSet } : {}),
        }),
    }),
  )
}

function objectFormatOf(name: string | undefined): ObjectFormat {
  if (name === undefined || name === '' || name === 'sha1') return 'sha1'
  if (name === 'sha256') return 'sha256'
  throw new Invalid(`${name} is no object format`, 'object_format_unknown')
}

/** Refuses a used name before git data is written. The unique key decides between concurrent requests. */
async function refuseUsed(services: Services, owner: UserRow, name: string): Promise<void> {
  if (await findRepoByName(services.db, owner.id, name.toLowerCase())) throw nameTaken(name)
}

export const nameTaken = (name: string): Conflict =>
  new Conflict(`there is a repository of the name ${name} already`, 'repo_name_taken')

/** The git data of a new repository. */
export interface NewGit {
  readonly key: GitKey
  readonly defaultBranch: string
  readonly objectFormat: ObjectFormat
}

/** Creates git data under a new key and removes it when `use` fails. */
export async function withNewGit<Result>(
  services: Services,
  { first, ...options }: Omit<NewGit, 'key'> & { readonly first?: FirstCommit | undefined },
  use: (git: NewGit, made: MadeRepository) => Promise<Result>,
): Promise<Result> {
  const git = { ...options, key: newGitKey() }
  const made = await services.git.create(git.key, { ...options, first })
  return removingOnFailure(services, git.key, () => use(git, made))
}

/** Runs `use` and removes the git data of the key when it fails. */
export async function removingOnFailure<Result>(
  services: Services,
  key: GitKey,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use()
  } catch (error) {
    await services.git.remove(key).catch((cause: unknown) => {
      // The caller gets the first error. `ingot doctor` finds git data that stays behind.
      services.log('warn', 'git data of a repository that was not made could not be removed', { error: cause, key })
    })
    throw error
  }
}

/** Returns the files of the first commit: the README and the requested ones. */
async function initialFiles(services: Services, owner: UserRow, input: NewRepository): Promise<FirstCommit['files']> {
  const readme = renderReadme(input.readme ?? '', { name: input.name, description: input.description ?? '' })
  if (readme === undefined) throw new BadRequest(`there is no README template ${input.readme ?? ''}`, 'readme_unknown')
  const files = [textFile('README.md', readme)]
  if (input.gitignores) files.push(textFile('.gitignore', await joinGitignores(input.gitignores)))
  if (input.license) {
    const license = await findLicense(input.license)
    if (!license) throw new Invalid(`there is no licence ${input.license}`, 'license_unknown')
    const year = new Date(services.clock.nowMs()).getUTCFullYear()
    files.push(textFile('LICENSE', fillLicense(license, { year, holder: owner.full_name || owner.name })))
  }
  return files
}

const textFile = (name: string, text: string) => ({ name, content: Buffer.from(text) })

/** Returns the first commit of a new repository. */
function firstCommitOf(
  { config }: Services,
  author: UserRow,
  files: FirstCommit['files'],
  createdUnix: Unix,
): FirstCommit {
  const person = personOfFirst(config, author, createdUnix)
  return { files, author: person, committer: person, message: firstMessage }
}

/** Message of the first commit (observed). */
export const firstMessage = 'Initial commit'

/** The owner is the author of the first commit (observed). */
export const personOfFirst = (config: Config, owner: UserRow, createdUnix: Unix): Identity => ({
  ...gitPerson(config, owner),
  unixSeconds: createdUnix,
  offsetMinutes: 0,
})

/** A repository whose git data is complete. */
export interface RepositoryToInsert {
  readonly doer: UserRow
  readonly owner: UserRow
  readonly git: NewGit
  /** Size of the git data. Undefined: it is measured. */
  readonly sizeBytes?: number
  readonly createdUnix: Unix
  readonly row: Pick<RepoRow, 'name' | 'description' | 'is_private' | 'fork_id' | 'template_id'> &
    Partial<
      Pick<
        RepoRow,
        | 'is_template'
        | 'trust_model'
        | 'is_fork'
        | 'website'
        | 'topics'
        | 'is_mirror'
        | 'original_url'
        | 'primary_language'
        | 'avatar_key'
      >
    >
  readonly branches: readonly { readonly name: string; readonly commit: Oid; readonly commitUnix?: Unix }[]
  /** All references of the git data; default: the branches. */
  readonly refs?: readonly BareRef[]
  readonly units: readonly NewUnit[]
  readonly access?: AccessMode | undefined
  /** Whether the creator watches the repository if the settings say so. False while nobody may see it. */
  readonly isWatched?: boolean
  /** Further writes of the transaction, such as the event. */
  readonly inTransaction: (tx: Tx, repo: RepoRow) => Promise<void>
}

/** Inserts the repository in one transaction: row, units, branches, the creator's watch and access, the event. */
export async function insertNewRepo(services: Services, input: RepositoryToInsert): Promise<RepoRow> {
  const { doer, owner, git, createdUnix, branches } = input
  const limit = repoLimit(services, doer, owner)
  const sizeBytes = input.sizeBytes ?? (await services.git.sizeBytes(git.key))
  const packs = await services.git.keepObjects(git.key)
  try {
    return await transaction(services.db, async (tx) => {
      if (!(await takeRepoSlot(tx, owner.id, limit))) throw limitReached(owner, limit)
      const repo = await insertRepo(tx, {
        ...input.row,
        owner_id: owner.id,
        lower_name: input.row.name.toLowerCase(),
        git_key: git.key,
        wiki_git_key: null,
        website: input.row.website ?? '',
        default_branch: git.defaultBranch,
        wiki_branch: services.config.repository.defaultBranch,
        object_format: git.objectFormat,
        is_empty: branches.length === 0,
        git_size_bytes: sizeBytes,
        created_unix: createdUnix,
        updated_unix: createdUnix,
      })
      await recordGitUsage(tx, [repo])
      await insertUnits(tx, repo.id, input.units)
      await insertBranches(
        tx,
        branches.map((branch) => ({
          repo_id: repo.id,
          name: branch.name,
          commit_oid: branch.commit,
          commit_unix: branch.commitUnix ?? createdUnix,
          pusher_id: doer.id,
          updated_unix: createdUnix,
        })),
      )
      const refs = input.refs ?? branches.map(({ name, commit }) => ({ name: branchRef(name), oid: commit }))
      await upsertRefs(tx, { repoId: repo.id, kind: 'code' }, refs)
      await insertPacks(tx, { repoId: repo.id, kind: 'code', gitKey: git.key }, packs)
      await deleteRepoRedirect(tx, owner.id, repo.lower_name)
      if (input.access !== undefined) await upsertCollaboration(tx, repo.id, doer.id, input.access, createdUnix)
      if (services.config.service.autoWatchNewRepos && input.isWatched !== false) {
        // Members of teams with all repositories of the organization watch it too (observed).
        const others = owner.kind === 'organization' ? await listAllRepoMemberIds(tx, owner.id) : []
        await watchRepos(tx, [repo.id], [...new Set([doer.id, ...others])], 'auto', createdUnix)
      }
      await input.inTransaction(tx, repo)
      return (await findRepoById(tx, repo.id)) ?? repo
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(input.row.name)
    throw error
  }
}
