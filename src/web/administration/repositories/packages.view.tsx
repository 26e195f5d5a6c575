import { choicesOf } from '../../ui/form-fields.tsx'
import type { InstancePackage } from '../../../packages/instance-packages.service.ts'
import type { Page } from '../../../lib/paging.ts'
import { typeName } from '../../shared/package-types.ts'
import { DeleteButton } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, PageHead, Pages, Tag } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { sizeText } from '../../languages/amounts.ts'
import { Time } from '../../ui/time.tsx'
import { SearchForm } from '../search-form.tsx'
import { administrationTexts, packageTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = administrationTexts.packageList

/** The packages of all owners. */
export const PackagesView = ({
  packages,
  total,
  filter,
  shown,
}: {
  readonly packages: readonly InstancePackage[]
  readonly total: number
  readonly filter: { readonly type: string; readonly text: string }
  readonly shown: Page
}) => (
  <>
    <PageHead title={administrationTexts.packages} lead={texts.total(total)} />
    <SearchForm to="/admin/packages" label={texts.search} text={filter.text} placeholder={texts.hint}>
      <Select
        name="type"
        label={texts.type}
        isLabelHidden
        value={filter.type}
        choices={[{ value: '', label: texts.allTypes }, ...choicesOf(packageTexts.types)]}
        data-autosubmit=""
      />
    </SearchForm>
    <RowBox
      rows={packages}
      links
      empty={<Empty icon="package" title={filter.type === '' && filter.text === '' ? texts.empty : texts.none} />}
    >
      {(each) => <PackageOfInstance {...each} />}
    </RowBox>
    <Pages page={shown.number} total={total} pageSize={shown.limit} />
  </>
)

/** Returns a path that ends with the type and name of a package; a name may contain slashes, which are escaped. */
const pathTo = ({ type, lower_name: name }: InstancePackage['row'], ...before: readonly string[]): string =>
  `${pathOf(...before)}/${encodeURIComponent(type)}/${encodeURIComponent(name)}`

const PackageOfInstance = ({ row, owner, versionCount, sizeBytes }: InstancePackage) => (
  <li class="row">
    <Icon name={row.type === 'container' ? 'container' : 'package'} class="row-icon" />
    <div class="row-main">
      <div class="line">
        <Link to={pathTo(row, owner.name, '-', 'packages')} class="row-title" data-row-link="">
          {row.name}
        </Link>
        <Tag>{typeName(row.type)}</Tag>
      </div>
      <p class="row-facts">
        <Link to={pathOf(owner.name)}>{owner.name}</Link>
        <strong>{sizeText(sizeBytes)}</strong>
        <span>{texts.versions(versionCount)}</span>
        <span>
          {texts.created} <Time unix={row.created_unix} />
        </span>
      </p>
    </div>
    <div class="acts">
      <DeleteButton
        to={`${pathTo(row, 'admin', 'packages', owner.name)}/delete`}

        confirm={texts.confirm(row.name, owner.name, versionCount)}
        label={texts.deleteOf(row.name)}
      >
        {texts.delete}
      </DeleteButton>
    </div>
  </li>
)
