import type { presentQuota } from '../../quota/quota.present.ts'
import { Box, Progress } from '../ui/parts.tsx'
import { sizeText } from '../ui/texts.tsx'

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
