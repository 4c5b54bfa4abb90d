// The files of a drop, with those in dropped folders.

/** A file and its name with the folders above it. */
export interface DroppedFile {
  name: string;
  file: File;
}

/** Units: files. A folder with more is not a list. */
export const MAX_FILES = 1_000;

/** The files of a drop. */
export interface Dropped {
  files: DroppedFile[];
  /** Whether there are more than were taken. */
  isCut: boolean;
}

/**
 * Takes the files of a drop. Hidden files and folders, such as the settings of a notebook, are left out.
 *
 * Call it while the drop is handled: the browser forgets its entries afterwards.
 */
export async function droppedFiles(data: DataTransfer): Promise<Dropped> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...data.files];
  if (!entries.some((entry) => entry?.isDirectory === true)) return { files: plain.map((file) => ({ name: file.name, file })), isCut: false };
  const dropped: Dropped = { files: [], isCut: false };
  for (const entry of entries) if (entry !== null) await walk(entry, dropped);
  return dropped;
}

async function walk(entry: FileSystemEntry, dropped: Dropped): Promise<void> {
  if (entry.name.startsWith(".") || dropped.isCut) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    dropped.isCut = dropped.files.length === MAX_FILES;
    if (!dropped.isCut) dropped.files.push({ name: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader hands over a folder in parts.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return;
    for (const inner of part) await walk(inner, dropped);
  }
}
