import type { Ctx } from '../access/context.ts'
import type { QuotaUsage } from '../access/quota/quota.rules.ts'
import type { NamedQuotaGroup, NamedQuotaRule } from '../access/quota/quota.store.ts'
import type { StoredArtifact } from '../access/contributions/stored-artifacts.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { QuotaRuleRow } from '../db/tables/quota.ts'
import { issueApiUrl, issueWebUrl } from '../issues/repo-with-owner.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { loadIssues } from '../issues/issue.store.ts'
import { escapePath } from '../lib/escape-url.ts'
import { packagesWebUrl, packageWebUrl } from '../packages/package.present.ts'
import { repoApiUrl, repoWebUrl } from '../repos/repo-url.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { pluck } from '../lib/pluck.ts'
import type {
  QuotaGroup,
  QuotaInfo,
  QuotaRuleInfo,
  QuotaUsed,
  QuotaUsedArtifact,
  QuotaUsedAttachment,
  QuotaUsedPackage,
} from './quota.schemas.ts'
import { loadTagsOfReleases, type StoredPackageFile } from './stored.store.ts'
import { wordTable } from '../lib/word-table.ts'

/** Only administrators see names of rules and groups. */
type Names = 'named' | 'nameless'

const presentRuleOf = ({ name, limit, subjects }: NamedQuotaRule, names: Names): QuotaRuleInfo => ({
  ...(names === 'named' ? { name } : {}),
  limit,
  // Omitted when empty (observed).
  ...(subjects.length === 0 ? {} : { subjects: [...subjects] }),
})

export const presentRule = ({ name, limit_bytes, subjects }: QuotaRuleRow): QuotaRuleInfo =>
  presentRuleOf({ name, limit: limit_bytes, subjects: JSON.parse(subjects) as NamedQuotaRule['subjects'] }, 'named')

export const presentGroup = ({ name, rules }: NamedQuotaGroup, names: Names = 'named'): QuotaGroup => ({
  ...(names === 'named' ? { name } : {}),
  rules: rules.map((rule) => presentRuleOf(rule, names)),
})

const presentUsage = (usage: QuotaUsage): QuotaUsed => ({
  size: {
    repos: { public: usage['repos:public'] ?? 0, private: usage['repos:private'] ?? 0 },
    git: { LFS: usage.lfs ?? 0 },
    assets: {
      attachments: { issues: usage['attachments:issues'] ?? 0, releases: usage['attachments:releases'] ?? 0 },
      artifacts: usage.artifacts ?? 0,
      packages: { all: usage.packages ?? 0 },
    },
  },
})

/** Presents the usage and the groups of an account. */
export const presentQuota = (
  { usage, groups }: { readonly usage: QuotaUsage; readonly groups: readonly NamedQuotaGroup[] },
  names: Names,
): QuotaInfo => ({ used: presentUsage(usage), groups: groups.map((group) => presentGroup(group, names)) })

/** Presents attached files with their issue, comment or release, in a fixed number of queries. Skips files without one. */
export async function presentUsedAttachments(
  ctx: Pick<Ctx, 'config' | 'db'>,
  files: readonly AttachmentRow[],
): Promise<QuotaUsedAttachment[]> {
  const [repos, issues, tags] = await Promise.all([
    loadReposWithOwners(ctx.db, pluck(files, 'repo_id')),
    loadIssues(ctx.db, pluck(files, 'issue_id')),
    loadTagsOfReleases(ctx.db, pluck(files, 'release_id')),
  ])
  return files.flatMap((file) => {
    const repoWithOwner = repos.get(file.repo_id)
    if (!repoWithOwner) return []
    const address = { config: ctx.config, ...repoWithOwner }
    const holder = holderOf(file)
    return holder === undefined
      ? []
      : [
          {
            name: file.name,
            size: file.size_bytes,
            api_url: `${holder.api_url}/assets/${file.id}`,
            contained_in: holder,
          },
        ]

    function holderOf({ issue_id, comment_id, release_id }: AttachmentRow) {
      const tag = release_id === null ? undefined : tags.get(release_id)
      if (tag !== undefined) {
        return {
          api_url: `${repoApiUrl(address)}/releases/${release_id}`,
          html_url: `${repoWebUrl(address)}/releases/tag/${escapePath(tag)}`,
        }
      }
      const issue = issue_id === null ? undefined : issues.get(issue_id)
      if (!issue) return undefined
      const page = issueWebUrl(address, issue)
      return comment_id === null
        ? { api_url: issueApiUrl(address, issue), html_url: page }
        : {
            api_url: `${repoApiUrl(address)}/issues/comments/${comment_id}`,
            html_url: `${page}#issuecomment-${comment_id}`,
          }
    }
  })
}

/** Names of registries that are not just the capitalized type. */
const spellings = wordTable<string>({
  npm: 'npm',
  nuget: 'NuGet',
  pypi: 'PyPI',
  rpm: 'RPM',
  rubygems: 'RubyGems',
  cran: 'CRAN',
  alt: 'ALT',
})

const spelling = (type: string): string => spellings[type] ?? type.charAt(0).toUpperCase() + type.slice(1)

/** Presents package files of one owner. */
export const presentUsedPackages = (
  { config }: Pick<Ctx, 'config'>,
  owner: UserRow,
  files: readonly StoredPackageFile[],
): QuotaUsedPackage[] =>
  files.map((file) => ({
    name: file.name,
    type: spelling(file.type),
    version: file.version,
    size: file.size_bytes,
    // What an upload holds before its version exists has no page of its own.
    html_url: file.is_internal ? packagesWebUrl(config, owner) : packageWebUrl(config, owner, file),
  }))

export const presentUsedArtifacts = (
  { config }: Pick<Ctx, 'config'>,
  artifacts: readonly StoredArtifact[],
): QuotaUsedArtifact[] =>
  artifacts.map(({ name, sizeBytes, webPath }) => ({
    name,
    size: sizeBytes,
    html_url: config.server.rootUrl + webPath,
  }))
