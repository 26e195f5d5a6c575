import type { UserRow } from '../../../db/tables/accounts.ts'
import type { presentQuota } from '../../../quota/quota.present.ts'
import { Box, PageHead, Progress } from '../../ui/parts.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { Section } from '../../ui/section.tsx'
import { countedBy, storedKinds, StorageTable, totalOf } from './storage-table.view.tsx'
import { storageTexts as texts } from '../../languages/texts.ts'

/**
 * What an account or organization stores, and its limits.
 * @param org the organization; undefined for the viewer's account
 */
export const StorageView = ({
  used,
  groups,
  org,
}: ReturnType<typeof presentQuota> & { readonly org?: Pick<UserRow, 'name'> }) => {
  const kinds = storedKinds(used, (subject) => texts.kinds[subject] ?? subject)
  const total = totalOf(kinds)
  return (
    <>
      <PageHead
        title={texts.title}
        lead={org ? texts.totalOf(org.name, sizeText(total)) : texts.total(sizeText(total))}
      />
      <StorageTable kinds={kinds} />
      <Section title={texts.limits} id="limits">
        {(groups ?? []).flatMap(({ rules }) => rules ?? []).length === 0 ? (
          <p class="muted">{texts.noLimits}</p>
        ) : (
          <Box>
            <table class="data row-heads">
              <tbody>
                {(groups ?? [])
                  .flatMap(({ rules }) => rules ?? [])
                  .map(({ subjects: counted, limit }) => {
                    const subjects = counted ?? []
                    const label = subjects.map((subject) => texts.kinds[subject] ?? subject).join(', ')
                    const size = countedBy(subjects, used)
                    return (
                      <tr>
                        <th scope="row">{label}</th>
                        <td class="storage-bar">
                          {limit < 0 ? null : <Progress done={Math.min(size, limit)} total={limit} label={label} />}
                        </td>
                        <td class="nowrap">
                          {texts.ofLimit(sizeText(size), limit < 0 ? texts.unlimited : sizeText(limit))}
                        </td>
                      </tr>
                    )
                  })}
              </tbody>
            </table>
          </Box>
        )}
      </Section>
    </>
  )
}
