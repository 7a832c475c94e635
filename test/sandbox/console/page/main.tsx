import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app';
import './style.css';

render(<App />, document.body);
