import { signedIn } from '../../access/requirements.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { getPackageWithVersions } from '../../packages/catalog/catalog.service.ts'
import { removePackage } from '../../packages/instance-packages.service.ts'
import { presentVersion } from '../../packages/package.present.ts'
import { namedVersion, packagesReadable, packagesWritable } from '../../packages/package.requirements.ts'
import { linkToRepo, removeVersion, unlinkFromRepo } from '../../packages/package.service.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { inOwnerFrame } from '../frames/organization-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { packageSettingsPath, packagesPath } from './package-paths.ts'
import { PackageSettingsView } from './package-settings.view.tsx'
import { packageTexts as texts } from '../languages/texts.ts'
import { text } from '../ui/fields.ts'

const readable = [targetUser, packagesReadable] as const

/** Repositories of the owner that the form suggests. */
const maxSuggested = 50

/** Shows what the owner of a package may change. */
export const packageSettingsPage = page({
  path: '/{username}/-/packages/{type}/{name}/{version}/settings',
  twin: 'linkPackage',
  cost: 'usual',
  requires: [inSession, ...readable, namedVersion, packagesWritable],
  frame: inOwnerFrame('packages'),
  async load({ ctx }) {
    const { version, subject } = ctx
    const [shown, { versions }, found] = await Promise.all([
      presentVersion(ctx, version),
      getPackageWithVersions(ctx, version.type, version.name),
      browseRepos(ctx, { ownedBy: subject }, {}, { number: 1, limit: maxSuggested, offset: 0 }),
    ])
    return {
      owner: subject,
      version,
      linked: version.repo_id === null ? undefined : (shown.repository?.full_name ?? ''),
      versionCount: versions.length,
      repositories: found.repos.map(({ repo }) => repo.name),
    }
  },
  meta: ({ version }) => ({ title: texts.settingsOf(version.name), isUnlisted: true }),
  view: PackageSettingsView,
})

/** Deletes a version with its files. */
export const removePackageVersion = act({
  path: '/{username}/-/packages/{type}/{name}/{version}/delete',
  twin: 'deletePackage',
  cost: 'usual',
  requires: [...readable, namedVersion, signedIn, packagesWritable],
  again: packageSettingsPage,
  async run({ ctx }) {
    await removeVersion(ctx, ctx.version)
    return { to: packagesPath(ctx.subject), notice: texts.done.deleted(ctx.version.version) }
  },
})

/** Deletes a package with all of its versions. */
export const removeWholePackage = act({
  path: '/{username}/-/packages/{type}/{name}/delete',
  twin: 'deletePackage',
  cost: 'usual',
  requires: [...readable, signedIn, packagesWritable],
  async run({ ctx, params }) {
    const row = await removePackage(ctx, params.type, params.name)
    return { to: packagesPath(ctx.subject), notice: texts.done.deletedPackage(row.name) }
  },
})

/** Links the package of a version to a repository. */
export const linkPackageTo = act({
  path: '/{username}/-/packages/{type}/{name}/{version}/link',
  twin: 'linkPackage',
  cost: 'usual',
  requires: [...readable, namedVersion, signedIn, packagesWritable],
  fields: { repository: text },
  again: packageSettingsPage,
  problemFields: { repository_: 'repository' },
  async run({ ctx, body }) {
    await linkToRepo(ctx, ctx.version, (body.repository ?? '').trim()).catch((error: unknown) => {
      if (error instanceof NotFound && error.code === 'repo_not_found') {
        throw new Invalid(texts.noRepository, 'repository_unknown')
      }
      throw error
    })
    return { to: packageSettingsPath(ctx.subject, ctx.version), notice: texts.done.linked }
  },
})

/** Unlinks the package of a version from its repository. */
export const unlinkPackageFrom = act({
  path: '/{username}/-/packages/{type}/{name}/{version}/unlink',
  twin: 'unlinkPackage',
  cost: 'usual',
  requires: [...readable, namedVersion, signedIn, packagesWritable],
  again: packageSettingsPage,
  async run({ ctx }) {
    await unlinkFromRepo(ctx, ctx.version)
    return { to: packageSettingsPath(ctx.subject, ctx.version), notice: texts.done.unlinked }
  },
})
