import type { LabelRow } from '../../db/tables/issues.ts'
import { LabelForm } from '../shared/labels/labels.view.tsx'
import { labelTexts as texts } from '../languages/texts.ts'
import { DeleteButton } from '../ui/button.tsx'
import { LabelTag } from '../ui/label.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, PageHead } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { withQuery } from '../ui/paths.ts'
import { uiTexts as common } from '../languages/texts.ts'

interface LabelsProps {
  readonly labels: readonly LabelRow[]
  /** Id of the label whose form is shown. */
  readonly editing: number | undefined
  /** Address of the page below the site root. */
  readonly path: string
}

/** The labels of an organization with the forms that change them. */
export const OrgLabelsView = (props: LabelsProps) => {
  const { labels, path } = props
  const to = `${path}/new`
  return (
    <>
      <div class="create-head">
        <PageHead title={texts.title} lead={texts.organizationLead} />
        <details class="create-form" open={usePage().refused?.action === to}>
          <summary class="button primary">{texts.create}</summary>
          <LabelForm to={to} id="new_label" />
        </details>
      </div>
      <RowBox
        rows={labels}
        links
        empty={
          <Empty icon="tag" title={texts.empty}>
            <p>{texts.emptyLead}</p>
          </Empty>
        }
      >
        {(label) => <Row {...props} label={label} />}
      </RowBox>
    </>
  )
}

const Row = ({ label, editing, path }: LabelsProps & { readonly label: LabelRow }) => {
  const { refused } = usePage()
  const to = `${path}/${label.id}/edit`
  if (editing === label.id || refused?.action === to) {
    return (
      <li class="row">
        <LabelForm to={to} id={`label_${label.id}`} label={label} cancelTo={path} />
      </li>
    )
  }
  return (
    <li class="row label-row">
      <span class="label-name">
        <LabelTag label={label} />
      </span>
      <span class="row-main muted">
        {label.description}
        {label.archived_unix > 0 ? ` (${texts.archived.toLowerCase()})` : ''}
      </span>
      <span class="row-side">
        <ButtonLink
          to={withQuery(path, { edit: label.id })}
          kind="quiet"
          class="small"
          aria-label={texts.edit(label.name)}
        >
          {common.edit}
        </ButtonLink>
        <DeleteButton
          to={`${path}/${label.id}/delete`}

          label={texts.delete(label.name)}
          confirm={texts.deleteQuestion(label.name)}
        >
          {common.delete}
        </DeleteButton>
      </span>
    </li>
  )
}
