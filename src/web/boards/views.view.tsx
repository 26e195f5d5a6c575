import { viewGroupings, viewLayouts, type SavedViewRow, type ViewLayout } from '../../db/tables/boards.ts'
import { columnOrderOf } from '../../boards/saved-view.rules.ts'
import { usualQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field, Select, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, Empty, PageHead } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { boardTexts as texts } from '../languages/texts.ts'
import type { ViewPlace } from './view-place.ts'

/** The icon of each layout. */
export const layoutIcons: Readonly<Record<ViewLayout, IconName>> = {
  list: 'list-unordered',
  board: 'project',
  timeline: 'milestone',
}

/** Returns what the columns of a view are values of, such as `by milestone`. */
const groupingText = ({ grouping, label_scope: scope }: SavedViewRow): string | undefined =>
  grouping === 'none' ? undefined : grouping === 'label' ? texts.byScope(scope) : texts.by(texts.groupings[grouping])

/** The views of a repository, an organization or a person. */
export const ViewsView = ({ place, views }: { readonly place: ViewPlace; readonly views: readonly SavedViewRow[] }) => {
  const create = place.mayChange ? (
    <ButtonLink to={`${place.path}/new`} kind="primary" data-hotkey="c">
      {texts.create}
    </ButtonLink>
  ) : null
  return (
    <>
      <PageHead title={texts.title} lead={place.home.of === 'person' ? texts.personLead : texts.lead}>
        {create}
      </PageHead>
      <RowBox
        rows={views}
        links
        empty={
          <Empty icon="project" title={texts.empty}>
            <p>{texts.emptyLead}</p>
          </Empty>
        }
      >
        {(view) => (
          <li class="row">
            <Icon name={layoutIcons[view.layout]} class="muted" />
            <div class="row-main">
              <Link class="row-title" to={`${place.path}/${view.id}`} data-row-link="">
                {view.title}
              </Link>
              {view.description === '' ? null : <p class="muted">{view.description}</p>}
              <div class="row-facts">
                <span>{[texts.layouts[view.layout], groupingText(view)].filter(Boolean).join(' ')}</span>
                <code>{view.query === '' ? texts.everything : view.query}</code>
              </div>
            </div>
          </li>
        )}
      </RowBox>
    </>
  )
}

/** The form of a view, and what deletes it. */
export const ViewFormView = ({
  place,
  view,
  query,
}: {
  readonly place: ViewPlace
  /** Undefined: a new one. */
  readonly view: SavedViewRow | undefined
  /** The search of a new view. */
  readonly query: string | undefined
}) => {
  const at = view === undefined ? `${place.path}/new` : `${place.path}/${view.id}/edit`
  return (
    <div class="narrow stack">
      <PageHead title={view === undefined ? texts.create : texts.editOf(view.title)} />
      <Form to={at} class="stack" isEdit={view !== undefined}>
        <Field name="title" label={texts.fields.title} value={view?.title} required maxlength={255} isProse autofocus />
        <Field name="description" label={texts.fields.description} value={view?.description} maxlength={1000} isProse />
        <Field
          name="query"
          label={texts.fields.query}
          hint={texts.fields.queryHint}
          value={view?.query ?? query ?? writeIssueQuery(usualQuery)}
          maxlength={1000}
        />
        <Select
          name="layout"
          label={texts.fields.layout}
          value={view?.layout ?? 'board'}
          choices={viewLayouts.map((value) => ({ value, label: texts.layouts[value] }))}
        />
        <Select
          name="grouping"
          label={texts.fields.grouping}
          value={view?.grouping ?? 'state'}
          choices={viewGroupings.map((value) => ({ value, label: texts.groupings[value] }))}
        />
        <Field
          name="label_scope"
          label={texts.fields.scope}
          hint={texts.fields.scopeHint}
          value={view?.label_scope}
          maxlength={255}
        />
        <TextArea
          name="columns"
          label={texts.fields.columns}
          hint={texts.fields.columnsHint}
          value={view === undefined ? '' : columnOrderOf(view).join('\n')}
          rows={4}
          isCode
        />
        <div class="form-acts">
          <Submit>{texts.save}</Submit>
          <ButtonLink to={view === undefined ? place.path : `${place.path}/${view.id}`} kind="quiet">
            {texts.cancel}
          </ButtonLink>
        </div>
      </Form>
      {view === undefined ? null : (
        <Box class="padded">
          <div class="line">
            <span class="muted">{texts.deleteLead}</span>
            <ActButton to={`${place.path}/${view.id}/delete`} kind="danger" confirm={texts.confirmDelete(view.title)}>
              {texts.delete}
            </ActButton>
          </div>
        </Box>
      )}
    </div>
  )
}
