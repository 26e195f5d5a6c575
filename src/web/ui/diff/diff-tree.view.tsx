import type { ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { Icon } from '../icon.tsx'
import { Counts, fileId, StatusIcon } from './diff-marks.view.tsx'
import { texts } from './texts.tsx'
import { treeOf, type Folder } from './tree.ts'

/** The changed files by folder, with a filter. */
export const DiffTree = ({ files }: { readonly files: readonly ShownFile[] }) => (
  <nav class="diff-tree" aria-label={texts.files}>
    <details open>
      <summary class="diff-tree-title">
        <Icon name="chevron-right" class="fold" />
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
            <Icon name="chevron-right" class="fold" />
            <span class="cut" title={each.name}>
              {each.name}
            </span>
          </summary>
          <FolderList folder={each} />
        </details>
      </li>
    ))}
    {folder.files.map(({ name, file }) => (
      <li>
        <a href={`#${fileId(file)}`} title={file.change.path}>
          <StatusIcon status={file.change.status} />
          <span class="cut">{name}</span>
          <Counts additions={file.change.additions} deletions={file.change.deletions} />
        </a>
      </li>
    ))}
  </ul>
)
