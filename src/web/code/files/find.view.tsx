import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { codeSearchTexts } from '../../languages/texts.ts'
import { Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Box, Empty } from '../../ui/parts.tsx'
import { usePage } from '../../ui/page-context.ts'
import { pathOf } from '../../ui/paths.ts'
import { revisionPath, type RepositoryNames } from '../code-paths.ts'
import { RefMenu } from '../ref-menu.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

export interface FindProps {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly refs: RefChoice
  readonly q: string
  readonly paths: readonly string[]
  readonly matched: number
  readonly isWhole: boolean
}

export const FindView = ({ repository, revision, refs, q, paths, matched, isWhole }: FindProps) => (
  <div class="stack">
    <div class="code-bar">
      <RefMenu
        repository={repository}
        revision={revision}
        refs={refs}
        addressOf={(to) => revisionPath(repository, 'find', to)}
      />
      <h1>{texts.findFile}</h1>
      <span class="spacer" />
      {usePage().config.serviceExplore.disableCodePage ? null : (
        <ButtonLink icon="code" to={pathOf(repository.owner.name, repository.repo.name, 'search')}>
          {codeSearchTexts.title}
        </ButtonLink>
      )}
    </div>
    <Form
      to={revisionPath(repository, 'find', revision)}
      method="get"
      role="search"
      label={texts.findFile}
      class="line one find-form"
    >
      <Field
        type="search"
        name="q"
        label={texts.fileName}
        isLabelHidden
        isTerse
        value={q}
        autofocus
        placeholder={texts.findPlaceholder}
        data-filter-list="#found-files"
      />
      <Submit kind="plain">{texts.search}</Submit>
    </Form>
    {paths.length === 0 ? (
      <Empty icon="search" title={texts.noFileFound}>
        <p>{texts.noFileFoundHint}</p>
      </Empty>
    ) : (
      <Box foot={matched > paths.length || !isWhole ? texts.moreFiles(paths.length, matched, isWhole) : undefined}>
        <ul class="rows hoverable" id="found-files" data-rows>
          {paths.map((path) => (
            <li class="row find-row">
              <Icon name="file" />
              <Link class="mono" to={revisionPath(repository, 'src', revision, path)}>
                {path}
              </Link>
            </li>
          ))}
          {matched > paths.length || !isWhole ? null : (
            <li class="row muted" data-filter-empty="" hidden>
              {texts.noFileFoundHint}
            </li>
          )}
        </ul>
      </Box>
    )}
  </div>
)
