import type { Editor } from './editor';
import type { EditorBed, EditorOptions } from './editorBed';

export interface Picture extends EditorOptions {
	name: string;
	/** Whether it is made before the others. */
	isFirst?: boolean;
	show(editor: Editor, bed: EditorBed): Promise<void>;
}
