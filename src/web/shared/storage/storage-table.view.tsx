import type { presentQuota } from '../../../quota/quota.present.ts'
import { quotaSubjects, usedOf } from '../../../access/quota/quota.rules.ts'
import { Box, Progress } from '../../ui/parts.tsx'
import { sizeText } from '../../languages/amounts.ts'

/** A kind of stored data with its size in bytes. */
export type StoredKind = readonly [label: string, sizeBytes: number]

/** Returns the sizes of what an account stores, with a label for each subject of a quota. */
export function storedKinds(
  { size: { repos, git, assets } }: ReturnType<typeof presentQuota>['used'],
  labelOf: (subject: string) => string,
): readonly StoredKind[] {
  return [
    [labelOf('size:repos:public'), repos.public],
    [labelOf('size:repos:private'), repos.private],
    [labelOf('size:git:lfs'), git.LFS],
    [labelOf('size:assets:attachments:issues'), assets.attachments.issues],
    [labelOf('size:assets:attachments:releases'), assets.attachments.releases],
    [labelOf('size:assets:artifacts'), assets.artifacts],
    [labelOf('size:assets:packages:all'), assets.packages.all],
  ]
}

/** Returns the bytes that a rule of a quota counts. */
export const countedBy = (subjects: readonly string[], { size }: ReturnType<typeof presentQuota>['used']): number => {
  const { repos, git, assets } = size
  const usage = {
    'repos:public': repos.public,
    'repos:private': repos.private,
    lfs: git.LFS,
    'attachments:issues': assets.attachments.issues,
    'attachments:releases': assets.attachments.releases,
    artifacts: assets.artifacts,
    packages: assets.packages.all,
  }
  return quotaSubjects
    .filter((subject) => subjects.includes(subject))
    .reduce((sum, subject) => sum + usedOf(subject, usage), 0)
}

/** Returns the size of all kinds together, in bytes. */
export const totalOf = (kinds: readonly StoredKind[]): number => kinds.reduce((sum, [, size]) => sum + size, 0)

/** A bar for each kind. */
export const StorageTable = ({ kinds }: { readonly kinds: readonly StoredKind[] }) => (
  <Box>
    <table class="data row-heads">
      <tbody>
        {kinds.map(([label, size]) => (
          <tr>
            <th scope="row">{label}</th>
            <td class="storage-bar">
              <Progress done={size} total={totalOf(kinds)} label={label} />
            </td>
            <td class="nowrap">{sizeText(size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Box>
)
