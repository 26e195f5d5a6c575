import type { Page } from '../../../lib/paging.ts'
import type { pageOfEmails } from '../../../users/email.service.ts'
import { Link } from '../../ui/link.tsx'
import { Box, Empty, PageHead, Pages, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { SearchForm } from '../search-form.tsx'
import { administrationTexts } from '../../languages/texts.ts'

const texts = administrationTexts.addresses

/** The email addresses of the instance. */
export const EmailsView = ({
  rows,
  total,
  shown,
  text,
}: Awaited<ReturnType<typeof pageOfEmails>> & { readonly shown: Page; readonly text: string }) => (
  <>
    <PageHead title={administrationTexts.emails} lead={texts.total(total)} />
    <SearchForm to="/admin/emails" label={texts.search} text={text} placeholder={texts.hint} />
    <RowBox
      rows={rows}
      none={
        <Box>
          <Empty icon="mail" title={texts.none} />
        </Box>
      }
    >
      {(row) => (
        <li class="row">
          <div class="row-main">
            <p class="line">
              <span class="row-title">{row.email}</span>
              {row.is_primary ? <Tag tone="accent">{texts.primary}</Tag> : null}
              {row.is_activated ? (
                <Tag tone="good">{texts.confirmed}</Tag>
              ) : (
                <Tag tone="warning">{texts.unconfirmed}</Tag>
              )}
            </p>
            <p class="row-facts">
              <Link to={pathOf('admin', 'users', row.user_name)}>{row.user_name}</Link>
            </p>
          </div>
        </li>
      )}
    </RowBox>
    <Pages page={shown.number} total={total} pageSize={shown.limit} />
  </>
)
