import type { RepoCtx } from '../../access/context.ts'
import type { AttachmentRow } from '../../db/tables/issues.ts'
import type { Page } from '../../lib/paging.ts'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, FeedLink, Link, OutsideLink } from '../ui/link.tsx'
import { Box, Commands, Empty, Markup, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Person } from '../ui/person.tsx'
import { sizeText } from '../languages/amounts.ts'
import { Time } from '../ui/time.tsx'
import { releaseFeedPath, releasePath, type ShownRelease } from './shown-release.ts'
import { releaseTexts as texts } from '../languages/texts.ts'

type ReleaseRepository = Pick<RepoCtx, 'repo' | 'owner'>

const at = ({ owner, repo }: ReleaseRepository, ...parts: readonly (string | number)[]) =>
  pathOf(owner.name, repo.name, ...parts)

/** The list of releases, the newest first. */
export const ReleasesView = ({
  repository,
  releases,
  total,
  page,
  search,
  mayWrite,
}: {
  readonly repository: ReleaseRepository
  readonly releases: readonly ShownRelease[]
  readonly total: number
  readonly page: Page
  readonly search: string | undefined
  readonly mayWrite: boolean
}) => (
  <>
    <PageHead title={texts.heading}>
      <Form to={at(repository, 'releases')} method="get" role="search" class="inline" label={texts.search}>
        <input type="search" name="q" value={search} placeholder={texts.search} aria-label={texts.search} />
      </Form>
      <FeedLink to={releaseFeedPath(repository)} />
      <ButtonLink to={at(repository, 'tags')} icon="tag" aria-label={texts.tags}>
        <span class="wide-only">{texts.tags}</span>
      </ButtonLink>
      {mayWrite ? (
        <ButtonLink to={at(repository, 'releases', 'new')} kind="primary">
          {texts.new}
        </ButtonLink>
      ) : null}
    </PageHead>
    {releases.length > 0 ? (
      <div class="releases">
        {releases.map((shown) => (
          <ReleaseEntry repository={repository} shown={shown} mayWrite={mayWrite} />
        ))}
      </div>
    ) : search ? (
      <Empty icon="search" title={texts.none} />
    ) : (
      <Empty icon="tag" title={texts.empty}>
        <p>{texts.emptyLead}</p>
        {mayWrite ? <Commands text={texts.emptyCommands} label={texts.emptyCommandsLabel} /> : null}
      </Empty>
    )}
    <Pages page={page.number} total={total} pageSize={page.limit} />
  </>
)

/** One release on its own page. */
export const ReleaseView = ({
  repository,
  shown,
  mayWrite,
}: {
  readonly repository: ReleaseRepository
  readonly shown: ShownRelease | undefined
  readonly mayWrite: boolean
}) => (shown === undefined ? <></> : <ReleaseEntry repository={repository} shown={shown} mayWrite={mayWrite} isAlone />)

const Marks = ({ shown: { release, isLatest } }: { readonly shown: ShownRelease }) => (
  <>
    {isLatest ? <Tag tone="good">{texts.latest}</Tag> : null}
    {release.is_draft ? <Tag tone="warning">{texts.draft}</Tag> : null}
    {release.is_prerelease ? <Tag tone="accent">{texts.prerelease}</Tag> : null}
  </>
)

const ReleaseEntry = ({
  repository,
  shown,
  mayWrite,
  isAlone = false,
}: {
  readonly repository: ReleaseRepository
  readonly shown: ShownRelease
  readonly mayWrite: boolean
  readonly isAlone?: boolean
}) => {
  const { release, publisher, html } = shown
  const Heading = isAlone ? 'h1' : 'h2'
  const person = publisher ? <Person person={publisher} /> : <strong>{release.original_author}</strong>
  const moment = <Time unix={release.created_unix} />
  return (
    <article class="release" aria-labelledby={`release-${release.id}`}>
      <div class="release-side">
        {release.is_draft ? (
          <span class="release-tag">
            <Icon name="tag" />
            {release.tag_name}
          </span>
        ) : (
          <Link class="release-tag" to={at(repository, 'src', 'tag', release.tag_name)}>
            <Icon name="tag" />
            {release.tag_name}
          </Link>
        )}
      </div>
      <div class="release-body">
        <div class="line between">
          <div class="line">
            <Heading id={`release-${release.id}`} class="release-title">
              <Link to={releasePath(repository, release.tag_name)}>{release.title || release.tag_name}</Link>
            </Heading>
            <Marks shown={shown} />
          </div>
          {mayWrite ? (
            <ButtonLink to={at(repository, 'releases', 'edit', release.tag_name)} icon="pencil" class="small">
              {texts.edit}
            </ButtonLink>
          ) : null}
        </div>
        <p class="facts">
          <span>{release.is_draft ? texts.drafted(person, moment) : texts.published(person, moment)}</span>
        </p>
        {release.content === '' ? null : <Markup html={html} class="release-notes compact" />}
        <Downloads repository={repository} shown={shown} />
      </div>
    </article>
  )
}

const Downloads = ({
  repository,
  shown: { release, files },
}: {
  readonly repository: ReleaseRepository
  readonly shown: ShownRelease
}) => {
  const hasArchives = !release.is_draft && !release.hides_archive_links
  if (files.length === 0 && !hasArchives) return null
  return (
    <Box class="release-files">
      <ul class="rows">
        {files.map((file) => (
          <FileRow file={file} />
        ))}
        {hasArchives
          ? (
              [
                ['zip', texts.sourceZip],
                ['tar.gz', texts.sourceTar],
              ] as const
            ).map(([ending, label]) => (
              <li class="row">
                <Icon name="file-zip" class="muted" />
                <Link
                  class="row-main"
                  to={at(repository, 'archive', `${release.tag_name}.${ending}`)}
                  rel="nofollow"
                  data-turbo="false"
                >
                  {label}
                </Link>
              </li>
            ))
          : null}
      </ul>
    </Box>
  )
}

const FileRow = ({ file }: { readonly file: AttachmentRow }) => (
  <li class="row">
    <Icon name={file.external_url === '' ? 'package' : 'link-external'} class="muted" />
    <FileLink file={file} />
    <span class="row-side">
      {file.external_url === '' ? (
        <>
          <span>{texts.downloads(file.download_count)}</span>
          <span class="release-size">{sizeText(file.size_bytes)}</span>
        </>
      ) : (
        texts.external
      )}
    </span>
  </li>
)

/** The name of a file, which leads to its content. */
export const FileLink = ({ file }: { readonly file: AttachmentRow }) =>
  file.external_url === '' ? (
    <Link class="row-main" to={pathOf('attachments', file.uuid)} data-turbo="false">
      {file.name}
    </Link>
  ) : (
    <OutsideLink class="row-main" href={file.external_url}>
      {file.name}
    </OutsideLink>
  )
