import { usualQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import type { LabelRow } from '../../db/tables/issues.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { ActButton } from '../ui/button.tsx'
import { LabelTag } from '../ui/label.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, Empty, PageHead } from '../ui/parts.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { uiTexts as common } from '../languages/texts.ts'
import { LabelForm } from '../shared/labels/labels.view.tsx'
import { labelTexts as texts } from '../languages/texts.ts'

interface LabelsProps {
  readonly repository: RepoWithOwner
  readonly labels: readonly LabelRow[]
  /** Labels of the organization. */
  readonly shared: readonly LabelRow[]
  readonly mayChange: boolean
  /** Id of the label whose form is shown. */
  readonly editing: number | undefined
}

/** From this number of labels, the list has a search field. */
const searchedFrom = 20

/** The labels of a repository with the forms that change them. */
export const LabelsView = (props: LabelsProps) => {
  const { repository, labels, shared, mayChange } = props
  const { refused } = usePage()
  const at = (...parts: readonly (string | number)[]) =>
    pathOf(repository.owner.name, repository.repo.name, 'labels', ...parts)
  return (
    <>
      <div class="create-head">
        <PageHead title={texts.title} lead={texts.lead} />
        {mayChange ? (
          <details class="create-form" open={refused?.action === at('new')}>
            <summary class="button primary">{texts.create}</summary>
            <LabelForm to={at('new')} id="new_label" />
          </details>
        ) : null}
      </div>
      <Box
        {...(labels.length > searchedFrom
          ? {
              head: (
                <input
                  type="search"
                  class="needs-script"
                  placeholder={texts.find}
                  aria-label={texts.find}
                  data-filter-list="#labels"
                />
              ),
            }
          : {})}
      >
        {labels.length === 0 ? (
          <Empty icon="tag" title={texts.empty}>
            <p>{texts.emptyLead}</p>
          </Empty>
        ) : (
          <ul class="rows hoverable" id="labels" data-rows="">
            {labels.map((label) => (
              <Row {...props} label={label} isOwn />
            ))}
          </ul>
        )}
      </Box>
      {shared.length === 0 ? null : (
        <section class="section-below">
          <h2>{texts.ofOrganization(repository.owner.name)}</h2>
          <Box>
            <ul class="rows hoverable">
              {shared.map((label) => (
                <Row {...props} label={label} isOwn={false} />
              ))}
            </ul>
          </Box>
        </section>
      )}
    </>
  )
}

const Row = ({
  repository,
  label,
  isOwn,
  mayChange,
  editing,
}: LabelsProps & { readonly label: LabelRow; readonly isOwn: boolean }) => {
  const { refused } = usePage()
  const at = (...parts: readonly (string | number)[]) =>
    pathOf(repository.owner.name, repository.repo.name, 'labels', ...parts)
  const list = withQuery(pathOf(repository.owner.name, repository.repo.name, 'issues'), {
    q: writeIssueQuery({ ...usualQuery, labels: [label.name] }),
  })
  const to = at(label.id, 'edit')
  if (isOwn && mayChange && (editing === label.id || refused?.action === to)) {
    return (
      <li class="row">
        <LabelForm to={to} id={`label_${label.id}`} label={label} cancelTo={at()} />
      </li>
    )
  }
  return (
    <li class="row label-row">
      <span class="label-name">
        <LabelTag label={label} to={list} />
      </span>
      <span class="row-main muted">
        {label.description}
        {label.archived_unix > 0 ? ` (${texts.archived.toLowerCase()})` : ''}
      </span>
      <span class="row-side">
        <Link class="plain-link" to={list}>
          {texts.issues(label.num_issues - label.num_closed_issues)}
        </Link>
        {isOwn && mayChange ? (
          <>
            <ButtonLink
              to={withQuery(at(), { edit: label.id })}
              kind="quiet"
              class="small"
              aria-label={texts.edit(label.name)}
            >
              {common.edit}
            </ButtonLink>
            <ActButton
              to={at(label.id, 'delete')}
              kind="danger"
              class="small"
              aria-label={texts.delete(label.name)}
              confirm={texts.deleteQuestion(label.name)}
            >
              {common.delete}
            </ActButton>
          </>
        ) : null}
      </span>
    </li>
  )
}
