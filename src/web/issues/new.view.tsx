import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import type { BrokenTemplate, Versioned } from '../../issues/templates/template-file.service.ts'
import type { IssueConfig, IssueTemplate } from '../../issues/templates/template.parse.ts'
import { BrokenTemplates, Questions, TemplateVersion } from '../shared/templates/questions.view.tsx'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink, OutsideLink } from '../ui/link.tsx'
import { Box, PageHead } from '../ui/parts.tsx'
import { pathField } from '../ui/path-field.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { NewSide } from './new-side.view.tsx'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.create

export interface NewIssueProps {
  readonly repository: RepoWithOwner
  readonly template: Versioned<IssueTemplate> | undefined
  /** The named template, when it cannot be used. */
  readonly broken: BrokenTemplate | undefined
  /** Undefined: the person may not set labels, milestone and assignees. */
  readonly choices: IssueChoices | undefined
  readonly title: string | undefined
  readonly body: string | undefined
  readonly milestone: number | undefined
  /** Texts of the form as HTML, by their Markdown. */
  readonly html: ReadonlyMap<string, string>
}

/** The templates of a repository. */
export const ChooseView = ({
  repository,
  templates,
  broken,
  config,
}: {
  readonly repository: RepoWithOwner
  readonly templates: readonly IssueTemplate[]
  readonly broken: readonly BrokenTemplate[]
  readonly config: IssueConfig
}) => {
  const at = pathOf(repository.owner.name, repository.repo.name, 'issues', 'new')
  return (
    <div class="narrow">
      <PageHead title={texts.choose} />
      <BrokenTemplates broken={broken} />
      <Box>
        <ul class="rows" data-rows="">
          {templates.map(({ path, name, about }) => (
            <li class="row">
              <div class="row-main">
                <strong>{name}</strong>
                <p class="muted">{about}</p>
              </div>
              <ButtonLink to={withQuery(at, { template: pathField(path) })} aria-label={`${texts.start}: ${name}`}>
                {texts.start}
              </ButtonLink>
            </li>
          ))}
          {config.contactLinks.map(({ name, url, about }) => (
            <li class="row">
              <div class="row-main">
                <strong>{name}</strong>
                <p class="muted">{about}</p>
              </div>
              <OutsideLink class="button plain" href={url} aria-label={`${texts.open}: ${name}`}>
                {texts.open}
              </OutsideLink>
            </li>
          ))}
          {config.allowsBlank ? (
            <li class="row">
              <div class="row-main">
                <strong>{texts.blank}</strong>
                <p class="muted">{texts.blankAbout}</p>
              </div>
              <ButtonLink to={at} aria-label={`${texts.start}: ${texts.blank}`}>
                {texts.start}
              </ButtonLink>
            </li>
          ) : null}
        </ul>
      </Box>
    </div>
  )
}

/** The form of a new issue. */
export const NewIssueView = (props: NewIssueProps) => {
  const { repository, template, broken, choices, title, body, milestone, html } = props
  return (
    <>
      <PageHead
        title={template ? `${texts.title}: ${template.name}` : texts.title}
        {...(template && template.about !== '' ? { lead: template.about } : {})}
      />
      <BrokenTemplates broken={broken ? [broken] : []} />
      <Form
        to={pathOf(repository.owner.name, repository.repo.name, 'issues', 'new')}
        class="with-side"
        hidden={{
          template: template && pathField(template.path),
          ref: template?.ref === '' ? undefined : template?.ref,
        }}
      >
        <div class="stack">
          <TemplateVersion oid={template?.oid} />
          <Field
            name="title"
            label={texts.name}
            value={title ?? template?.title}
            required
            isProse
            autofocus
            maxlength={255}
          />
          {template?.fields ? (
            <Questions fields={template.fields} html={html} />
          ) : (
            <Editor
              name="content"
              label={texts.text}
              value={body ?? template?.content}
              rows={12}
              placeholder={texts.textHint}
              repository={{ owner: repository.owner.name, name: repository.repo.name }}
              uploadTo={pathOf(repository.owner.name, repository.repo.name, 'issues', 'attachments')}
            />
          )}
          <div class="form-acts end">
            <Submit>{texts.submit}</Submit>
          </div>
        </div>
        {choices ? (
          <NewSide choices={choices} labels={template?.labels} assignees={template?.assignees} milestone={milestone} />
        ) : null}
      </Form>
    </>
  )
}
