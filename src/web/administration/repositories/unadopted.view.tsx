import type { Page } from '../../../lib/paging.ts'
import { ActButton } from '../../ui/button.tsx'
import { Empty, PageHead, Pages } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { SearchForm } from '../search-form.tsx'
import { administrationTexts } from '../../languages/texts.ts'

/** Folders of repositories that no row names, with the acts to adopt or delete each. */
export const UnadoptedView = ({
  names,
  total,
  shown,
  text,
}: {
  readonly names: readonly string[]
  readonly total: number
  readonly shown: Page
  readonly text: string
}) => {
  const { folder } = administrationTexts
  return (
    <>
      <PageHead title={administrationTexts.unadopted} />
      <SearchForm to="/admin/unadopted" label={folder.search} text={text} placeholder={folder.search} />
      <RowBox rows={names} none={<Empty icon="check-circle" title={folder.empty} />}>
        {(name) => (
          <li class="row">
            <span class="row-main mono">{name}</span>
            <div class="acts">
              <ActButton to={`${pathOf('admin', 'unadopted', ...name.split('/'))}/adopt`} class="small">
                {folder.adopt}
              </ActButton>
              <ActButton
                to={`${pathOf('admin', 'unadopted', ...name.split('/'))}/delete`}
                kind="danger"
                class="small"
                confirm={folder.confirm(name)}
              >
                {folder.delete}
              </ActButton>
            </div>
          </li>
        )}
      </RowBox>
      <Pages page={shown.number} total={total} pageSize={shown.limit} />
    </>
  )
}
