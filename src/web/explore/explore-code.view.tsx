import type { FoundEverywhere } from '../../code/search/code-search.service.ts'
import { codeSearchTexts as texts } from '../languages/texts.ts'
import { CodeSearchForm, FoundFiles } from '../lists/found-code.tsx'
import { Empty } from '../ui/parts.tsx'
import { ExploreFrame } from './explore.view.tsx'

/** A search of the code of all readable repositories. */
export const ExploreCodeView = ({
  text,
  found,
}: {
  readonly text: string
  readonly found: FoundEverywhere | undefined
}) => (
  <ExploreFrame current="code">
    <div class="stack">
      <CodeSearchForm to="/explore/code" text={text} />
      {found === undefined ? (
        <Empty icon="code" title={texts.title}>
          <p>{texts.hintEverywhere}</p>
        </Empty>
      ) : found.matches.length === 0 ? (
        <Empty icon="search" title={texts.none(text)}>
          <p>{found.isBounded ? texts.boundedEverywhere(found.searched) : texts.hintEverywhere}</p>
        </Empty>
      ) : (
        <>
          <p class="muted small">
            {found.isBounded
              ? texts.boundedEverywhere(found.searched)
              : texts.foundEverywhere(found.matches.length, found.searched)}
          </p>
          {found.matches.map((each) => (
            <FoundFiles repository={each} branch={each.repo.default_branch} found={each} text={text} withRepository />
          ))}
        </>
      )}
    </div>
  </ExploreFrame>
)
