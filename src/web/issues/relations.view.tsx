import type { SeenRelation } from '../../issues/relations/relation.service.ts'
import { relationWords, type RelationWord } from '../../issues/relations/relation-word.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Progress } from '../ui/parts.tsx'
import { pathOf, siteHref } from '../ui/paths.ts'
import { TitleText } from '../ui/title-text.tsx'
import { conversationPath, issueAt } from './issue-props.ts'
import type { SideProps } from './side-facts.view.tsx'
import { ChangeMenu, Part } from './side-parts.view.tsx'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.relations

/** The choice of the form that also closes the issue. */
export const closingChoice = 'close_duplicate'

/** Relations that the form offers: a pull request is in no tree. */
const offered = (isPull: boolean) =>
  relationWords.filter((word) => !isPull || (word !== 'parent' && word !== 'sub_issue'))

/** What an issue is related to, by kind, with the progress of its sub-issues, and the form that adds a relation. */
export const Relations = (props: SideProps) => {
  const { repository, issue, side } = props
  const { config } = usePage()
  const at = issueAt(repository, issue)
  const groups = Map.groupBy(side.relations, (each) => each.word)
  return (
    <Part
      title={texts.title}
      isEmpty={side.relations.length === 0}
      change={
        side.choices ? (
          <ChangeMenu title={texts.title}>
            <Form to={at('relations')} class="choice-menu stack" label={texts.form}>
              <Select
                name="relation"
                id="relation"
                label={texts.kind}
                choices={[
                  ...offered(issue.is_pull).map((word) => ({ value: word, label: texts.words[word] })),
                  ...(issue.is_closed ? [] : [{ value: closingChoice, label: texts.closeDuplicate }]),
                ]}
              />
              <Field
                name="other"
                id="relation_other"
                label={texts.other}
                hint={texts.otherHint}
                placeholder="#12"
                autocomplete="off"
                list="relation_issues"
                data-names-url={siteHref(config, pathOf(repository.owner.name, repository.repo.name, 'suggestions'))}
                data-names-key="#"
                required
              />
              <datalist id="relation_issues" />
              <Submit kind="plain" class="small">
                {texts.add}
              </Submit>
            </Form>
          </ChangeMenu>
        ) : null
      }
    >
      {side.relations.length === 0 ? <p class="muted">{texts.none}</p> : null}
      {relationWords.map((word) => {
        const rows = groups.get(word)
        return rows ? <Group {...props} word={word} rows={rows} /> : null
      })}
    </Part>
  )
}

const Group = ({
  word,
  rows,
  ...props
}: SideProps & { readonly word: RelationWord; readonly rows: readonly SeenRelation[] }) => {
  const { repository, side } = props
  const at = issueAt(repository, props.issue)
  const closed = rows.filter(({ issue }) => issue.is_closed).length
  return (
    <>
      <h3>{texts.heads[word]}</h3>
      {word === 'sub_issue' ? (
        <p class="muted small">
          <Progress done={closed} total={rows.length} label={texts.progress(closed, rows.length)} />
          {texts.progress(closed, rows.length)}
        </p>
      ) : null}
      <ul class="side-list">
        {rows.map(({ issue, repo, owner }) => {
          const isHere = repo.id === repository.repo.id
          return (
            <li>
              <IssueIcon issue={issue} />
              <Link to={conversationPath({ repo, owner }, issue)}>
                <TitleText text={issue.title} />{' '}
                <span class="muted">{`${isHere ? '' : `${owner.name}/${repo.name}`}#${issue.index}`}</span>
              </Link>
              <span class="spacer" />
              {side.choices ? (
                <ActButton
                  to={at('relations')}
                  hidden={{ relation: word, other: `${owner.name}/${repo.name}#${issue.index}`, remove: true }}
                  kind="quiet"
                  class="icon-only small"
                  icon="x"
                  aria-label={texts.remove(issue.title)}
                  title={texts.remove(issue.title)}
                />
              ) : null}
            </li>
          )
        })}
      </ul>
    </>
  )
}
