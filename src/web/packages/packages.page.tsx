import type { SubjectCtx } from '../../access/context.ts'
import { canRead, inRepo } from '../../access/repo.requirements.ts'
import { getPackageRow, getVersionWithMetadata, pageOfVersions } from '../../packages/catalog/catalog.service.ts'
import { getTags } from '../../packages/catalog/tag.service.ts'
import { getImageDetails } from '../../packages/container/image.service.ts'
import { newestPackages, packagesOfRepo } from '../../packages/package-list.service.ts'
import { mayWritePackages } from '../../packages/package.policy.ts'
import { presentVersion } from '../../packages/package.present.ts'
import { namedVersion, packagesReadable } from '../../packages/package.requirements.ts'
import { getFiles } from '../../packages/package.service.ts'
import { renderText } from '../../site/render.service.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { inOwnerFrame } from '../frames/organization-frame.tsx'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { metadataShown } from './package-metadata.rules.ts'
import { packagesPath } from './package-paths.ts'
import { PackagesView, PackageView, RepoPackagesView } from './packages.view.tsx'
import { VersionView } from './version.view.tsx'
import { packageTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

const readable = [targetUser, packagesReadable] as const
const pageSize = 30

const mayWrite = ({
  viewer,
  subject,
  standing,
}: SubjectCtx & { readonly standing: Parameters<typeof mayWritePackages>[2] }): boolean =>
  viewer !== undefined && mayWritePackages(viewer, subject, standing).allowed

/** Number of versions on a page. The tags of an image and the image itself are versions. */
const versionsOf = (type: string): number => (type === 'container' ? 200 : 50)

/** The packages of an account or organization. */
export const packagesPage = page({
  path: '/{username}/-/packages',
  twin: 'listPackages',
  cost: 'usual',
  requires: readable,
  frame: inOwnerFrame('packages'),
  query: { page: integer, type: text, q: text },
  async load({ ctx, query }) {
    const number = Math.max(1, query.page ?? 1)
    const filter = { type: query.type ?? '', text: query.q?.trim() ?? '' }
    const found = await newestPackages(ctx, filter, { limit: pageSize, offset: (number - 1) * pageSize })
    return { owner: ctx.subject, ...found, number, filter, mayWrite: mayWrite(ctx) }
  },
  meta: (_data, { ctx }) => ({ title: texts.titleOf(ctx.subject.name) }),
  view: PackagesView,
})

/** The packages that are linked to a repository. */
export const repoPackagesPage = page({
  path: '/{username}/{reponame}/packages',
  twin: null,
  cost: 'usual',
  requires: [inRepo, canRead('packages')],
  query: { page: integer },
  frame: inRepositoryFrame('packages'),
  async load({ ctx, query }) {
    const number = Math.max(1, query.page ?? 1)
    const found = await packagesOfRepo(ctx, { limit: pageSize, offset: (number - 1) * pageSize })
    return { owner: ctx.owner, ...found, number }
  },
  meta: (_data, { ctx }) => ({ title: texts.titleOf(`${ctx.owner.name}/${ctx.repo.name}`) }),
  view: RepoPackagesView,
})

/** A package with its versions. */
export const packagePage = page({
  path: '/{username}/-/packages/{type}/{name}',
  twin: null,
  cost: 'usual',
  requires: readable,
  frame: inOwnerFrame('packages'),
  query: { page: integer },
  async load({ ctx, params, query }) {
    const row = await getPackageRow(ctx, params.type, params.name)
    const number = Math.max(1, query.page ?? 1)
    const limit = versionsOf(row.type)
    const found = await pageOfVersions(ctx, row, { limit, offset: (number - 1) * limit })
    return {
      owner: ctx.subject,
      row,
      ...found,
      number,
      pageSize: limit,
      tags: await getTags(ctx, row),
      mayWrite: mayWrite(ctx),
    }
  },
  meta: ({ row }) => ({ title: row.name }),
  view: PackageView,
})

/** A version of a package: how to install it, its files, and what it says of itself. */
export const packageVersionPage = page({
  path: '/{username}/-/packages/{type}/{name}/{version}',
  twin: 'getPackage',
  cost: 'usual',
  requires: [...readable, namedVersion],
  frame: inOwnerFrame('packages'),
  async load({ ctx }) {
    const { version, subject } = ctx
    const [shown, files, described] = await Promise.all([
      presentVersion(ctx, version),
      getFiles(ctx, version),
      getVersionWithMetadata(ctx, version.type, version.name, version.version),
    ])
    const about = metadataShown(described.metadata)
    const context = shown.repository === null ? packagesPath(subject) : pathOf(shown.repository.full_name)
    const [readme, image] = await Promise.all([
      about.readme === '' ? '' : renderText(ctx, about.readme, 'gfm', { context, isForPage: true }),
      version.type === 'container' ? getImageDetails(ctx, described, files) : undefined,
    ])
    return { owner: subject, version, shown, files, about, readme, image, mayWrite: mayWrite(ctx) }
  },
  meta: ({ version }) => ({ title: `${version.name} ${version.version}` }),
  view: VersionView,
})
