/** Apart from `editor.test.ts`, so that the two can run beside each other. */
import { startEditorBed, type EditorBed } from '../../tools/browser/editorBed';
import { ofFeatures } from '../support/features';
import { editorTests, type EditorTests } from './editorTests';
import { hostileTextTests } from './hostileTexts';

let bed: EditorBed;

beforeAll(async () => (bed = await startEditorBed()), 900_000);
beforeEach(() => bed.sandbox.reset());
afterAll(async () => await bed?.close());

const inEditor = editorTests(() => bed);

for (const feature of ofFeatures<{ editorTests: EditorTests }>('editor', 'test/browser')) {
	feature.editorTests(inEditor, () => bed);
}

describe('a hostile text', () => hostileTextTests(() => bed, inEditor));
