import type { UserRow } from '../../db/tables/accounts.ts'
import type { presentQuota } from '../../quota/quota.present.ts'
import { Box, PageHead, Progress } from '../ui/parts.tsx'
import { sizeText } from '../ui/texts.tsx'
import { Section } from './section.tsx'
import { texts } from './storage.texts.tsx'

/**
 * What an account or organization stores, and its limits.
 * @param org the organization; undefined for the viewer's account
 */
export const StorageView = ({
  used,
  groups,
  org,
}: ReturnType<typeof presentQuota> & { readonly org?: Pick<UserRow, 'name'> }) => {
  const { repos, git, assets } = used.size
  const kinds: readonly (readonly [string, number])[] = [
    [texts.publicRepos, repos.public],
    [texts.privateRepos, repos.private],
    [texts.lfs, git.LFS],
    [texts.issueFiles, assets.attachments.issues],
    [texts.releaseFiles, assets.attachments.releases],
    [texts.artifacts, assets.artifacts],
    [texts.packages, assets.packages.all],
  ]
  const total = kinds.reduce((sum, [, size]) => sum + size, 0)
  return (
    <>
      <PageHead
        title={texts.title}
        lead={org ? texts.totalOf(org.name, sizeText(total)) : texts.total(sizeText(total))}
      />
      <Box>
        <table class="data row-heads">
          <tbody>
            {kinds.map(([label, size]) => (
              <tr>
                <th scope="row">{label}</th>
                <td class="storage-bar">
                  <Progress done={size} total={total} label={label} />
                </td>
                <td class="nowrap">{sizeText(size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
      <Section title={texts.limits} id="limits">
        {(groups ?? []).flatMap(({ rules }) => rules ?? []).length === 0 ? (
          <p class="muted">{texts.noLimits}</p>
        ) : (
          <Box>
            <ul class="rows">
              {(groups ?? [])
                .flatMap(({ rules }) => rules ?? [])
                .map((rule) => (
                  <li class="row">
                    <div class="row-main">{(rule.subjects ?? []).join(', ')}</div>
                    <span>{rule.limit < 0 ? texts.unlimited : sizeText(rule.limit)}</span>
                  </li>
                ))}
            </ul>
          </Box>
        )}
      </Section>
    </>
  )
}
