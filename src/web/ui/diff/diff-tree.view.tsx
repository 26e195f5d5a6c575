import type { ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { Counts, fileId, Fold, StatusIcon } from './diff-marks.view.tsx'
import { diffTexts as texts } from '../../languages/texts.ts'
import { treeOf, type Folder } from './tree.ts'

/** The changed files by folder: closed on narrow windows, where it stands above the changes, and always open beside them. */
export const DiffTree = ({ files }: { readonly files: readonly ShownFile[] }) => (
  <nav class="diff-tree" aria-label={texts.files}>
    <details>
      <summary class="diff-tree-title">
        <Fold />
        {texts.files}
      </summary>
      <FolderList folder={treeOf(files)} />
    </details>
  </nav>
)

const FolderList = ({ folder }: { readonly folder: Folder }) => (
  <ul>
    {folder.folders.map((each) => (
      <li>
        <details open>
          <summary>
            <Fold />
            <span class="cut" title={each.name}>
              {each.name}
            </span>
          </summary>
          <FolderList folder={each} />
        </details>
      </li>
    ))}
    {folder.files.map(({ name, file }) => (
      <li class="tree-file">
        <a href={`#${fileId(file)}`} title={file.change.path}>
          <StatusIcon status={file.change.status} />
          <span class="cut">{name}</span>
          <Counts additions={file.change.additions} deletions={file.change.deletions} />
        </a>
      </li>
    ))}
  </ul>
)
