import { DeleteButton, Submit } from '../../ui/button.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, FeedLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Empty, Pages } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { RefTabs } from './branches.view.tsx'
import { subjectOf } from '../../../code/commits/message.rules.ts'
import { repositoryPath, revisionPath, shortOid, tagFeedPath, type RepositoryNames } from '../code-paths.ts'
import { uiTexts as common } from '../../languages/texts.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { MessageText } from '../../shared/message-text.view.tsx'
import { RowBox } from '../../ui/row-box.tsx'

export interface TagEntry {
  readonly name: string
  /** Message of the tag, or of its commit. */
  readonly message: string
  readonly commit: string | undefined
  readonly isReleased: boolean
  readonly createdUnix: number | undefined
}

export interface TagsProps {
  readonly repository: RepositoryNames
  readonly tags: readonly TagEntry[]
  readonly page: { readonly number: number; readonly total: number; readonly pageSize: number }
  readonly mayWrite: boolean
  readonly mayRelease: boolean
  readonly defaultBranch: string
}

const NewTag = ({ repository, defaultBranch }: TagsProps) => {
  const to = repositoryPath(repository, 'tags')
  const isRefused = usePage().refused?.action === to
  return (
    <details class="menu end" open={isRefused}>
      <summary class="button primary">
        <Icon name="plus" />
        {texts.newTag}
      </summary>
      <div class="menu-panel form-panel">
        <Form to={to} class="stack tight">
          <Field name="name" label={texts.tagName} required maxlength={100} placeholder="v1.0.0" autofocus />
          <Field name="target" label={texts.tagTarget} value={defaultBranch} isTerse hint={texts.branchFromHint} />
          <TextArea name="message" label={texts.message} rows={3} hint={texts.tagMessageHint} />
          <Submit>{texts.createTag}</Submit>
        </Form>
      </div>
    </details>
  )
}

const Row = ({ repository, tag, mayWrite, mayRelease }: TagsProps & { readonly tag: TagEntry }) => {
  return (
    <li class="row ref-row">
      <div class="row-main">
        <Link class="row-title" to={revisionPath(repository, 'src', { kind: 'tag', name: tag.name })}>
          {tag.name}
        </Link>
        <div class="row-facts">
          {tag.commit === undefined ? null : (
            <Link class="mono oid" to={repositoryPath(repository, 'commit', tag.commit)}>
              {shortOid(tag.commit)}
            </Link>
          )}
          <MessageText text={subjectOf(tag.message)} class="cut ref-subject" />
          {tag.createdUnix === undefined ? null : <Time unix={tag.createdUnix} />}
        </div>
      </div>
      <div class="row-side">
        {(['zip', 'tar.gz'] as const).map((format) => (
          <Link
            class="button quiet small"
            rel="nofollow"
            data-turbo="false"
            to={`${repositoryPath(repository, 'archive', tag.name)}.${format}`}
          >
            {format}
          </Link>
        ))}
        {tag.isReleased ? (
          <Link class="button quiet small" to={repositoryPath(repository, 'releases/tag', tag.name)}>
            {texts.release}
          </Link>
        ) : mayRelease ? (
          <ButtonLink
            kind="quiet"
            class="small"
            to={`${repositoryPath(repository, 'releases/new')}?tag=${encodeURIComponent(tag.name)}`}
          >
            {texts.makeRelease}
          </ButtonLink>
        ) : null}
        {mayWrite ? (
          <DeleteButton
            to={repositoryPath(repository, 'tags/delete')}
            hidden={{ name: tag.name }}

            label={texts.deleteNamed(tag.name)}
            confirm={texts.confirmDeleteTag(tag.name)}
          >
            {common.delete}
          </DeleteButton>
        ) : null}
      </div>
    </li>
  )
}

export const TagsView = (props: TagsProps) => {
  const { repository, tags, page, mayWrite } = props
  return (
    <div class="stack">
      <h1 class="sr-only">{texts.tags}</h1>
      <div class="ref-head">
        <RefTabs repository={repository} current="tags" />
        <div class="acts">
          <FeedLink to={tagFeedPath(repository)} />
          {mayWrite ? <NewTag {...props} /> : null}
        </div>
      </div>
      <RowBox
        head={<h2>{texts.tagCount(page.total)}</h2>}
        rows={tags}
        links
        none={
          <Empty icon="tag" title={texts.noTags}>
            <p>{texts.noTagsHint}</p>
          </Empty>
        }
      >
        {(tag) => <Row {...props} tag={tag} />}
      </RowBox>
      <Pages page={page.number} total={page.total} pageSize={page.pageSize} />
    </div>
  )
}
